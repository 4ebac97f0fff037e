package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/returners/internal/sqlread"
)

// shape is the least that a table's columns must provide.
type shape struct {
	name    string
	columns []wanted
}

type wanted struct {
	name string
	typ  string // longtext, varchar(n), stamp, or serial; the last two are added but never changed
	key  bool   // compared byte by byte
}

var (
	jidsShape    = shape{"jids", []wanted{{"jid", "varchar(255)", true}, {"load", "longtext", false}}}
	returnsShape = shape{"salt_returns", []wanted{
		{"fun", "longtext", true},
		{"jid", "varchar(255)", true},
		{"return", "longtext", false},
		{"id", "varchar(255)", true},
		{"success", "varchar(10)", false},
		{"full_ret", "longtext", false},
		{"alter_time", stamp, false}, // Salt's since the end of 2013
	}}
	eventsShape = shape{"salt_events", []wanted{
		{"id", serial, false}, // Salt's since 2015
		{"tag", "longtext", true},
		{"data", "longtext", false},
		{"alter_time", stamp, false},
		{"master_id", "varchar(255)", true}, // Salt's since August 2015
	}}
)

// Types of columns that are added if missing, and never changed.
const (
	stamp  = "timestamp"
	serial = "bigint"
)

// found is a table as the server describes it.
type found struct {
	columns map[string]column
	indexes []*index
}

type column struct {
	typ, charset, collation string
	length                  int64 // in characters; in bytes for the text types
}

type index struct {
	name   string
	unique bool
	parts  []part
}

type part struct {
	column string
	prefix int // 0 = the whole column
}

func (f found) exists() bool { return len(f.columns) > 0 }

// inspect reads information_schema, which all of the servers have.
func (m *migration) inspect(ctx context.Context, table string) (found, error) {
	f := found{columns: map[string]column{}}
	err := sqlread.Each(ctx, m.db, func(scan sqlread.Scan) error {
		var name string
		var c column
		var length sql.NullInt64
		var charset, collation sql.NullString
		err := scan(&name, &c.typ, &length, &charset, &collation)
		c.typ, c.length, c.charset, c.collation = strings.ToLower(c.typ), length.Int64, charset.String, collation.String
		f.columns[name] = c
		return err
	}, `SELECT column_name, data_type, character_maximum_length, character_set_name, collation_name
		FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?`, table)
	if err != nil {
		return f, m.fault("look at the table "+table, err)
	}
	err = m.inspectIndexes(ctx, table, &f)
	return f, err
}

func (m *migration) inspectIndexes(ctx context.Context, table string, f *found) error {
	err := sqlread.Each(ctx, m.db, func(scan sqlread.Scan) error {
		var name string
		var nonUnique int
		var col sql.NullString // NULL: an index on an expression
		var prefix sql.NullInt64
		if err := scan(&name, &nonUnique, &col, &prefix); err != nil {
			return err
		}
		if len(f.indexes) == 0 || f.indexes[len(f.indexes)-1].name != name {
			f.indexes = append(f.indexes, &index{name: name, unique: nonUnique == 0})
		}
		last := f.indexes[len(f.indexes)-1]
		last.parts = append(last.parts, part{col.String, int(prefix.Int64)})
		return nil
	}, `SELECT index_name, non_unique, column_name, sub_part
		FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = ? ORDER BY index_name, seq_in_index`, table)
	return m.fault("look at the indexes of "+table, err)
}

func (f found) hasPrimary() bool {
	return slices.ContainsFunc(f.indexes, func(x *index) bool { return x.name == "PRIMARY" })
}

// unique reports whether exactly these columns are unique together.
func (f found) unique(columns []string) bool {
	return slices.ContainsFunc(f.indexes, func(x *index) bool {
		if !x.unique || len(x.parts) != len(columns) {
			return false
		}
		for _, p := range x.parts {
			if p.prefix != 0 || !slices.Contains(columns, p.column) {
				return false
			}
		}
		return true
	})
}

func (f found) indexed(column string) bool {
	return slices.ContainsFunc(f.indexes, func(x *index) bool { return x.parts[0].column == column })
}

// textBytes is the capacity of the text types.
var textBytes = map[string]int64{"tinytext": 1<<8 - 1, "text": 1<<16 - 1, "mediumtext": 1<<24 - 1, "longtext": 1<<32 - 1, "json": 1<<32 - 1}

// fits reports whether a column meets the requirements.
func (c column) fits(w wanted) bool {
	if c.typ != "json" && (c.charset != "utf8mb4" || w.key && !strings.HasSuffix(c.collation, "_bin")) {
		return false
	}
	if w.typ == "longtext" {
		return textBytes[c.typ] == textBytes["longtext"]
	}
	var n int64
	if _, err := fmt.Sscanf(w.typ, "varchar(%d)", &n); err != nil {
		return false
	}
	return c.length >= n
}

// changesTo returns the changes for ALTER TABLE.
func (f found) changesTo(s shape) []string {
	var drops, changes, adds []string
	for _, w := range s.columns {
		c, ok := f.columns[w.name]
		if ok && (c.fits(w) || w.typ == stamp || w.typ == serial) {
			continue
		}
		switch w.typ {
		case stamp: // existing rows get the current time
			changes = append(changes, fmt.Sprintf("ADD COLUMN `%s` timestamp NULL DEFAULT CURRENT_TIMESTAMP", w.name))
			continue
		case serial:
			key := "PRIMARY KEY"
			if f.hasPrimary() {
				key = "UNIQUE KEY"
			}
			changes = append(changes, fmt.Sprintf("ADD COLUMN `%s` bigint NOT NULL AUTO_INCREMENT %s", w.name, key))
			continue
		}
		typ := w.typ
		if strings.HasPrefix(typ, "varchar") && c.length > 255 && c.typ == "varchar" {
			typ = fmt.Sprintf("varchar(%d)", c.length) // wider than needed: keep it
		}
		collation := "utf8mb4_general_ci"
		if w.key {
			collation = "utf8mb4_bin"
		}
		what := "MODIFY"
		if !ok {
			what = "ADD COLUMN"
		}
		changes = append(changes, fmt.Sprintf("%s `%s` %s CHARACTER SET utf8mb4 COLLATE %s NOT NULL", what, w.name, typ, collation))
		if typ == "longtext" {
			d, a := f.prefixed(w.name)
			drops, adds = append(drops, d...), append(adds, a...)
		}
	}
	return slices.Concat(drops, changes, adds)
}

// prefixed returns changes for indexes that hold a whole column: a text column needs a
// prefix there.
func (f found) prefixed(column string) (drops, adds []string) {
	for _, x := range f.indexes {
		if !slices.ContainsFunc(x.parts, func(p part) bool { return p.column == column && p.prefix == 0 }) || x.name == "PRIMARY" {
			continue
		}
		parts := make([]string, len(x.parts))
		for i, p := range x.parts {
			parts[i] = "`" + p.column + "`"
			if p.column == column && p.prefix == 0 {
				p.prefix = 191
			}
			if p.prefix > 0 {
				parts[i] += fmt.Sprintf("(%d)", p.prefix)
			}
		}
		drops = append(drops, "DROP KEY `"+x.name+"`")
		adds = append(adds, "ADD KEY `"+x.name+"` ("+strings.Join(parts, ", ")+")")
	}
	return drops, adds
}
