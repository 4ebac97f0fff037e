//go:build linux

package chaos

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	_ "modernc.org/sqlite" // reads the job stores of nodes
)

// books is the content of MariaDB for some jobs.
type books struct {
	loads    map[string]bool
	rows     map[string]map[string]row    // jid → minion
	doubled  int                          // rows beyond the first of a (jid, minion)
	expected map[string]map[string]string // jid → minion → why it is missing, or ""
	nodes    map[string]map[string]bool   // jid → nodes that reported an expectation
}

type row struct {
	success bool
	result  string
}

// read queries the database for jobs.
func (w *World) read(ctx context.Context, jobs []*job) (*books, error) {
	db, err := w.sql.Root("salt")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	b := &books{loads: map[string]bool{}, rows: map[string]map[string]row{}, expected: map[string]map[string]string{}, nodes: map[string]map[string]bool{}}
	if len(jobs) == 0 {
		return b, nil
	}
	args := make([]any, len(jobs))
	for i, j := range jobs {
		args[i] = j.jid
	}
	in := " WHERE jid IN (?" + strings.Repeat(",?", len(jobs)-1) + ")"
	var jid, id, text, success string
	if err := each(ctx, db, "SELECT jid FROM jids"+in, args, []any{&jid}, func() { b.loads[jid] = true }); err != nil {
		return nil, err
	}
	for _, table := range []string{"salt_returns", "mom_duplicates"} {
		err := each(ctx, db, "SELECT jid, id, success, full_ret FROM "+table+in, args, []any{&jid, &id, &success, &text}, func() {
			if b.rows[jid] == nil {
				b.rows[jid] = map[string]row{}
			}
			if _, there := b.rows[jid][id]; there {
				b.doubled++
			}
			b.rows[jid][id] = row{success == "1", text}
		})
		if err != nil {
			return nil, err
		}
	}
	err = each(ctx, db, "SELECT jid, id, COALESCE(missing, '') FROM mom_expected"+in, args, []any{&jid, &id, &text}, func() {
		if b.expected[jid] == nil {
			b.expected[jid] = map[string]string{}
		}
		b.expected[jid][id] = text
	})
	if err != nil {
		return nil, err
	}
	err = each(ctx, db, "SELECT jid, node FROM mom_nodes"+in, args, []any{&jid, &id}, func() {
		if b.nodes[jid] == nil {
			b.nodes[jid] = map[string]bool{}
		}
		b.nodes[jid][id] = true
	})
	if err != nil {
		return nil, err
	}
	return b, w.readApart(ctx, b, jobs)
}

func each(ctx context.Context, db *sql.DB, query string, args, into []any, f func()) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("%.40s…: %w", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("%.40s…: %w", query, err)
		}
		f()
	}
	return rows.Err()
}

// pending lists the rows in a node's outbox; "" if it is empty.
func (m *member) pending(ctx context.Context) (string, error) {
	db, err := sql.Open("sqlite", "file:"+m.store()+"?mode=ro&_pragma=busy_timeout(2000)")
	if err != nil {
		return "", err
	}
	defer db.Close()
	var out []string
	var dest, kind, problem string
	var n int
	err = each(ctx, db, "SELECT dest, kind, count(*), coalesce(max(error), '') FROM outbox GROUP BY dest, kind", nil, []any{&dest, &kind, &n, &problem}, func() {
		out = append(out, fmt.Sprintf("%d %s to %s %s", n, kind, dest, problem))
	})
	return strings.Join(out, ", "), err
}

// returns reads which minions' returns are in a node's own job store, by job.
func (m *member) returns(ctx context.Context) (map[string]map[string]bool, error) {
	db, err := sql.Open("sqlite", "file:"+m.store()+"?mode=ro&_pragma=busy_timeout(2000)")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	out := map[string]map[string]bool{}
	var jid, id string
	err = each(ctx, db, "SELECT jid, id FROM salt_returns", nil, []any{&jid, &id}, func() {
		if out[jid] == nil {
			out[jid] = map[string]bool{}
		}
		out[jid][id] = true
	})
	return out, err
}

// open lists the jobs whose account a node has not closed.
func (m *member) open(ctx context.Context) (map[string]bool, error) {
	db, err := sql.Open("sqlite", "file:"+m.store()+"?mode=ro&_pragma=busy_timeout(2000)")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	out := map[string]bool{}
	var jid string
	err = each(ctx, db, "SELECT jid FROM notes WHERE kind = 'open'", nil, []any{&jid}, func() { out[jid] = true })
	return out, err
}
