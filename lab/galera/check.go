//go:build linux

package galera

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"strings"
)

// Found is what the comparison of all rows has found. Each number is of rows at the first server.
type Found struct {
	Rows    int // returns compared
	Lost    int // committed by a writer, not in SQL
	Wrong   int // with another value than committed
	Doubled int // more than once
	Unknown int // not committed by any writer
	// Differ are the tables that are not equal at all servers.
	Differ []string
	// Examples are the first rows at fault.
	Examples []string
}

// Whole reports whether nothing is wrong.
func (f *Found) Whole() bool {
	return f.Lost+f.Wrong+f.Doubled+f.Unknown+len(f.Differ) == 0
}

func (f *Found) fault(count *int, format string, args ...any) {
	*count++
	if len(f.Examples) < 20 {
		f.Examples = append(f.Examples, fmt.Sprintf(format, args...))
	}
}

// read visits all rows of a query as texts; NULL is "NULL".
func read(ctx context.Context, conn *sql.Conn, query string, visit func([]string)) error {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	raw, dest, texts := make([]sql.RawBytes, len(columns)), make([]any, len(columns)), make([]string, len(columns))
	for i := range raw {
		dest[i] = &raw[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		for i, b := range raw {
			if texts[i] = string(b); b == nil {
				texts[i] = "NULL"
			}
		}
		visit(texts)
	}
	return rows.Err()
}

// expected are the rows of one table, by key, with the values they must have.
type expected map[string]string

// compare reads key and value of each row.
func (f *Found) compare(ctx context.Context, conn *sql.Conn, table, query string, want expected) error {
	seen := map[string]bool{}
	err := read(ctx, conn, query, func(row []string) {
		key, got := row[0], row[1]
		v, ok := want[key]
		switch {
		case !ok:
			f.fault(&f.Unknown, "%s: unknown row %s: %s", table, key, got)
		case seen[key]:
			f.fault(&f.Doubled, "%s: %s twice", table, key)
		case v != got:
			f.fault(&f.Wrong, "%s: %s is %s, want %s", table, key, got, v)
		}
		seen[key] = true
	})
	if err != nil {
		return err
	}
	for key := range want {
		if !seen[key] {
			f.fault(&f.Lost, "%s: %s is lost", table, key)
		}
	}
	return nil
}

// verify compares all rows of one server with what was committed, and the servers with each other.
func verify(ctx context.Context, c *cluster, h *history, jobs int, l *legacy) (*Found, error) {
	f := &Found{}
	var sums [size]map[string]string
	for i, n := range c.Nodes {
		conn, err := n.Root.Conn(ctx)
		if err != nil {
			return f, err
		}
		sums[i], err = func() (map[string]string, error) {
			defer conn.Close()
			if _, err := conn.ExecContext(ctx, "USE "+database+"; SET SESSION wsrep_sync_wait = 1"); err != nil {
				return nil, err
			}
			if i == 0 {
				if err := f.rows(ctx, conn, h, jobs, l); err != nil {
					return nil, err
				}
			}
			return checksums(ctx, conn)
		}()
		if err != nil {
			return f, fmt.Errorf("compare %s: %w", n.Name(), err)
		}
		for table, sum := range sums[i] {
			if sum != sums[0][table] {
				f.Differ = append(f.Differ, table+" at "+n.Name())
			}
		}
	}
	return f, nil
}

func (f *Found) rows(ctx context.Context, conn *sql.Conn, h *history, jobs int, l *legacy) error {
	loads, nodes, exps, rets, events := expected{}, expected{}, expected{}, expected{}, expected{}
	for job := range oldJobs {
		loads[oldJID(job)] = ""
	}
	l.mu.Lock()
	for k := range l.rows {
		rets[k[0]+" "+k[1]] = fun + ` 1 "` + value(k[0], k[1]) + `"`
	}
	l.mu.Unlock()
	for job := range jobs {
		id := h.jid(job)
		loads[id] = fun
		for w := range h.writers {
			nodes[id+" "+nodeOf(w)] = ""
			events[eventKey(w, job)] = "salt/job/" + id + "/new " + nodeOf(w)
			for i := range h.part {
				m := minion(w, i)
				exps[id+" "+m] = nodeOf(w) + " NULL"
				if i == 1 {
					exps[id+" "+m] = nodeOf(w) + " " + away
					continue
				}
				rets[id+" "+m] = fun + ` 1 "` + value(id, m) + `"`
			}
		}
	}
	f.Rows = len(rets)
	for _, t := range []struct {
		table, query string
		want         expected
	}{
		{"jids", "SELECT jid, COALESCE(JSON_VALUE(`load`, '$.fun'), '') FROM jids ORDER BY jid", loads},
		{"mom_nodes", "SELECT CONCAT(jid, ' ', node), '' FROM mom_nodes ORDER BY jid, node", nodes},
		{"mom_expected", "SELECT CONCAT(jid, ' ', id), CONCAT(node, ' ', COALESCE(missing, 'NULL')) FROM mom_expected ORDER BY jid, id", exps},
		{"salt_returns", "SELECT CONCAT(jid, ' ', id), CONCAT(fun, ' ', success, ' ', `return`) FROM salt_returns ORDER BY jid, id", rets},
		{"salt_events", "SELECT mom_key, CONCAT(tag, ' ', master_id) FROM salt_events ORDER BY mom_key", events},
	} {
		if err := f.compare(ctx, conn, t.table, t.query, t.want); err != nil {
			return err
		}
	}
	return nil
}

// checksums returns a checksum of all rows of each table, with its number of rows.
func checksums(ctx context.Context, conn *sql.Conn) (map[string]string, error) {
	sums := map[string]string{}
	for table, key := range map[string]string{
		"jids": "jid", "salt_returns": "jid, id", "salt_events": "id", "mom_jobs": "jid", "mom_nodes": "jid, node",
		"mom_expected": "jid, id", "mom_duplicates": "seq", "mom_schema": "version",
	} {
		h, n := sha256.New(), 0
		err := read(ctx, conn, "SELECT * FROM "+table+" ORDER BY "+key, func(row []string) {
			n++
			_, _ = h.Write([]byte(strings.Join(row, "\x00") + "\x01"))
		})
		if err != nil {
			return nil, err
		}
		sums[table] = fmt.Sprintf("%d rows, %x", n, h.Sum(nil))
	}
	return sums, nil
}
