//go:build linux

package chaos

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"strings"

	_ "modernc.org/sqlite" // reads the job stores of nodes
)

// books is the content of the database for some jobs.
type books struct {
	loads    map[string]bool
	rows     map[string]map[string]row    // jid → minion
	doubled  int                          // rows beyond the first of a (jid, minion)
	expected map[string]map[string]string // jid → minion → why it is missing, or ""
	nodes    map[string]map[string]bool   // jid → nodes that reported an expectation
	differs  string                       // how the servers of the database differ; "": they agree
}

type row struct {
	success bool
	result  string
}

// read queries all servers of the database for jobs. The books are those of the first; differs says which server has
// others.
func (w *World) read(ctx context.Context, jobs []*job) (*books, error) {
	all, err := w.sql.open()
	defer func() {
		for _, db := range all {
			_ = db.Close() // it was only read
		}
	}()
	if err != nil {
		return nil, err
	}
	var first *books
	for i, db := range all {
		b, err := readBooks(ctx, db, w.sql.mark, jobs)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = b
		} else if diff := first.compare(b); diff != "" && first.differs == "" {
			first.differs = fmt.Sprintf("server %d of the database has other rows than server 1: %s", i+1, diff)
		}
	}
	return first, w.readApart(ctx, first, jobs)
}

// compare returns how other books differ, "" if they do not.
func (b *books) compare(o *books) string {
	for _, part := range []struct {
		name     string
		one, two any
	}{
		{"loads", b.loads, o.loads},
		{"returns", b.rows, o.rows},
		{"doubled returns", b.doubled, o.doubled},
		{"expected minions", b.expected, o.expected},
		{"nodes", b.nodes, o.nodes},
	} {
		if !reflect.DeepEqual(part.one, part.two) {
			return fmt.Sprintf("%s: %.2000v, not %.2000v", part.name, fmt.Sprint(part.two), fmt.Sprint(part.one))
		}
	}
	return ""
}

// readBooks queries one server. mark returns the placeholder of the n-th argument.
func readBooks(ctx context.Context, db *sql.DB, mark func(n int) string, jobs []*job) (*books, error) {
	b := &books{loads: map[string]bool{}, rows: map[string]map[string]row{}, expected: map[string]map[string]string{}, nodes: map[string]map[string]bool{}}
	if len(jobs) == 0 {
		return b, nil
	}
	args, marks := make([]any, len(jobs)), make([]string, len(jobs))
	for i, j := range jobs {
		args[i], marks[i] = j.jid, mark(i+1)
	}
	in := " WHERE jid IN (" + strings.Join(marks, ",") + ")"
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
			b.rows[jid][id] = row{success == "1" || success == "true", text}
		})
		if err != nil {
			return nil, err
		}
	}
	err := each(ctx, db, "SELECT jid, id, COALESCE(missing, '') FROM mom_expected"+in, args, []any{&jid, &id, &text}, func() {
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
	return b, nil
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
