package postgres

import (
	"context"
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

// wanted is a column. A column that is missing is added, NULL in existing rows or with the
// current time.
type wanted struct {
	name string
	typ  string // varchar(n), text, jsonb or stamp
}

// stamp is the type of times. They are added if missing, and never changed.
const stamp = "timestamp with time zone"

// shapes returns Salt's tables.
func (f form) shapes() []shape {
	return []shape{
		{"jids", []wanted{{"jid", "varchar(255)"}, {"load", f.json}}},
		{"salt_returns", []wanted{
			{"fun", "text"},
			{"jid", "varchar(255)"},
			{"return", f.json},
			{"id", "varchar(255)"},
			{"success", "varchar(10)"},
			{"full_ret", f.json},
			{"alter_time", stamp},
		}},
		{"salt_events", []wanted{{"tag", "text"}, {"data", f.json}, {"alter_time", stamp}, {"master_id", "varchar(255)"}, {"mom_key", "varchar(255)"}}},
	}
}

// found is a table as the server describes it.
type found struct {
	columns map[string]string // name → type, as format_type writes it
	indexes []index
}

type index struct {
	primary, unique bool
	columns         []string
}

func (f found) exists() bool { return len(f.columns) > 0 }

// inspect reads the catalogue. It finds the table that statements find by its name alone.
func (m *migration) inspect(ctx context.Context, table string) (found, error) {
	f := found{columns: map[string]string{}}
	err := sqlread.Each(ctx, m.tx, func(scan sqlread.Scan) error {
		var name, typ string
		err := scan(&name, &typ)
		f.columns[name] = typ
		return err
	}, `SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`, table)
	if err != nil {
		return f, m.fault(ctx, "look at the table "+table, err)
	}
	byID := map[int64]int{}
	err = sqlread.Each(ctx, m.tx, func(scan sqlread.Scan) error {
		var id int64
		var x index
		var column string
		if err := scan(&id, &x.primary, &x.unique, &column); err != nil {
			return err
		}
		at, ok := byID[id]
		if !ok {
			at = len(f.indexes)
			byID[id] = at
			f.indexes = append(f.indexes, x)
		}
		f.indexes[at].columns = append(f.indexes[at].columns, column)
		return nil
	}, `SELECT i.indexrelid::bigint, i.indisprimary, i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL, a.attname::text
		FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
		WHERE i.indrelid = to_regclass($1)`, table)
	return f, m.fault(ctx, "look at the indexes of "+table, err)
}

func (f found) hasPrimary() bool {
	return slices.ContainsFunc(f.indexes, func(x index) bool { return x.primary })
}

// unique reports whether exactly these columns are unique together.
func (f found) unique(columns []string) bool {
	return slices.ContainsFunc(f.indexes, func(x index) bool {
		return x.unique && len(x.columns) == len(columns) && !slices.ContainsFunc(x.columns, func(c string) bool { return !slices.Contains(columns, c) })
	})
}

// indexed reports whether a column has an index of its own.
func (f found) indexed(column string) bool {
	return slices.ContainsFunc(f.indexes, func(x index) bool { return slices.Equal(x.columns, []string{column}) })
}

// fits reports whether a column of type have can hold what want can. An error says that
// the types differ in kind.
func (w wanted) fits(have string) (bool, error) {
	var wide, n int
	limited, _ := fmt.Sscanf(w.typ, "varchar(%d)", &wide)
	switch {
	case w.typ == stamp && strings.HasPrefix(have, "timestamp"), have == w.typ:
		return true, nil
	case w.typ == stamp, w.typ == "jsonb":
	case have == "text", have == "character varying":
		return true, nil
	case strings.HasPrefix(have, "character varying("):
		_, err := fmt.Sscanf(have, "character varying(%d)", &n)
		return limited == 1 && n >= wide, err
	}
	return false, fmt.Errorf("column %s: %w, not %s", w.name, errType(have), w.typ)
}

// errType says that a column has a type that cannot be changed to the wanted one.
type errType string

func (e errType) Error() string { return "is of type " + string(e) }

// changesTo returns the changes for ALTER TABLE.
func (f found) changesTo(s shape) (changes []string, err error) {
	for _, w := range s.columns {
		have, ok := f.columns[w.name]
		if !ok {
			add := fmt.Sprintf(`ADD COLUMN "%s" %s`, w.name, w.typ)
			if w.typ == stamp {
				add += " DEFAULT CURRENT_TIMESTAMP"
			}
			changes = append(changes, add)
			continue
		}
		fits, err := w.fits(have)
		if err != nil {
			return nil, err
		}
		if !fits {
			changes = append(changes, fmt.Sprintf(`ALTER COLUMN "%s" TYPE %s`, w.name, w.typ))
		}
	}
	return changes, nil
}
