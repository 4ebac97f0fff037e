package localcluster_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	_ "modernc.org/sqlite" // reads the job stores of the nodes

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/topology"
)

// TestScenarios runs the scripts testdata/*, each with a tree of real processes.
//
//	grow                                  plants and starts the tree drawn below the command, or settles it if an earlier file grew it
//	publish tgt=T fun=F arg=A [list] [async] [queue]
//	crash ID / stop ID / heal ID          kill -9, SIGTERM, start again; each waits until the tree shows it
//	go                                    creates the file that the shell variable $GO of the last publish names
//	settle                                waits until everything is up
//	known ID                              waits until node ID has the last job in its store
//	rows ID                               rows of the last job in the store of node ID
//	tree                                  draws it
func TestScenarios(t *testing.T) {
	t.Parallel()                 // it waits most of its time
	grown := map[string]*stand{} // by drawing
	t.Cleanup(func() {
		for _, s := range grown {
			s.fell(t)
		}
	})
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var s *stand
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
			defer cancel()
			if d.Cmd == "grow" {
				if s = grown[d.Input]; s == nil {
					s = &stand{}
					grown[d.Input] = s
				}
			}
			out, err := s.run(ctx, t, d)
			if err != nil {
				s.dump(t)
				t.Fatalf("%s: %v", d.Pos, err)
			}
			return out
		})
	})
}

func (s *stand) run(ctx context.Context, t *testing.T, d *datadriven.TestData) (string, error) {
	arg := func(key string) string {
		for _, a := range d.CmdArgs {
			if a.Key == key && len(a.Vals) > 0 {
				return strings.Join(a.Vals, ",")
			}
		}
		return ""
	}
	switch d.Cmd {
	case "grow":
		if s.cluster != nil {
			return "up\n", s.settle(ctx)
		}
		return "up\n", s.grow(ctx, t, d.Input)
	case "publish":
		j := client.Job{Tgt: arg("tgt"), Fun: []string{arg("fun")}}
		if d.HasArg("queue") {
			j.Queue = time.Hour
		}
		if d.HasArg("list") {
			j.Tgt, j.TgtType = strings.Split(arg("tgt"), ","), "list"
		}
		if a := strings.TrimSpace(d.Input); a != "" {
			if err := os.RemoveAll(s.sign()); err != nil {
				return "", err
			}
			j.Args = []any{strings.ReplaceAll(a, "$GO", s.sign())}
		}
		if d.HasArg("async") {
			p, err := s.client.Publish(ctx, j)
			s.last = p.JID
			return "published\n", err
		}
		return s.publish(ctx, j)
	case "crash", "stop", "heal":
		return "ok\n", s.change(ctx, d.Cmd, d.CmdArgs[0].Key)
	case "go":
		return "ok\n", os.WriteFile(s.sign(), nil, 0o600)
	case "settle":
		return "ok\n", s.settle(ctx)
	case "known":
		return "ok\n", s.known(ctx, d.CmdArgs[0].Key)
	case "rows":
		return s.awaitRows(ctx, t, d.CmdArgs[0].Key, d.Expected)
	case "tree":
		n, err := s.tree(ctx)
		if err != nil {
			return "", err
		}
		var b strings.Builder
		err = topology.Draw(&b, bare(n), topology.DrawOptions{})
		return versionless(b.String()), err
	}
	return "", fmt.Errorf("unknown command %q", d.Cmd)
}

// sign is the file that commands of a scenario wait for.
func (s *stand) sign() string { return filepath.Join(s.dir, "go") }

// bare removes numbers that differ from run to run.
func bare(n topology.Node) topology.Node {
	n.Vitals = topology.Vitals{}
	nodes := make([]topology.Node, len(n.Nodes))
	for i, c := range n.Nodes {
		nodes[i] = bare(c)
	}
	n.Nodes = nodes
	return n
}

// versionless removes the version, which differs between builds, and the times of a drawing.
func versionless(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		before, rest, ok := strings.Cut(l, "(")
		role, after, ok2 := strings.Cut(rest, ")")
		if ok && ok2 {
			role, _, _ = strings.Cut(role, ",")
			l = before + "(" + role + ")" + after
		}
		lines[i], _, _ = strings.Cut(l, " since ")
	}
	return strings.Join(lines, "\n")
}

// publish runs a job until it ends and shows the answers in the order of ids.
func (s *stand) publish(ctx context.Context, j client.Job) (string, error) {
	f, err := s.client.Follow(ctx, j)
	if err != nil {
		return "", err
	}
	defer f.Close()
	s.last = f.JID
	var lines []string
	named := map[string]bool{} // reported missing
	for {
		u, err := f.Next(ctx)
		if err != nil {
			return "", fmt.Errorf("after %d answers: %w", len(lines), err)
		}
		switch {
		case u.Return != nil:
			v, err := u.Return.Value.Decode()
			if err != nil {
				return "", err
			}
			var b strings.Builder
			if err := output.Render(&b, "raw", v, output.Options{}); err != nil {
				return "", err
			}
			line := fmt.Sprintf("%s %s", u.Return.ID, strings.TrimSpace(b.String()))
			if named[u.Return.ID] {
				line += ", and had been named as missing"
			}
			lines = append(lines, line)
		case u.Missing != nil:
			for id := range u.Missing {
				named[id] = true
			}
		case u.Complete != nil:
			a := u.Complete
			for id, m := range a.Missing {
				lines = append(lines, fmt.Sprintf("%s [%s] path=%s", id, m.Reason, m.Path))
			}
			sort.Strings(lines)
			for path, st := range a.Nodes {
				if st != "answered" {
					lines = append(lines, "node "+path+" "+st)
				}
			}
			lines = append(lines, fmt.Sprintf("expected=%d returned=%d failed=%d missing=%d", a.Expected, a.Returned, a.Failed, len(a.Missing)))
			return strings.Join(lines, "\n") + "\n", nil
		}
	}
}

// awaitRows reads the rows until they are as expected, because returns delayed by a crash
// arrive later. On a timeout it returns the last rows.
func (s *stand) awaitRows(ctx context.Context, t *testing.T, id, want string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	last := ""
	waiting.BecameBy(ctx, func() bool {
		got, err := s.rows(ctx, t, id)
		if err == nil {
			last = got
		}
		return err == nil && (got == want || want == "")
	})
	return last, nil
}

// store opens a node's job store from outside, like an operator.
func (s *stand) store(id string) (*sql.DB, error) {
	m, _ := s.cluster.Find(id)
	return sql.Open("sqlite", "file:"+filepath.Join(m.Dir, "var/cache/salt/master/jobs.db")+"?mode=ro")
}

// known waits until a node has the last job: a node killed earlier may take the publication
// with it.
func (s *stand) known(ctx context.Context, id string) error {
	db, err := s.store(id)
	if err != nil {
		return err
	}
	defer db.Close()
	if !waiting.BecameBy(ctx, func() bool {
		var n int
		err = db.QueryRowContext(ctx, "SELECT count(*) FROM jids WHERE jid = ?", s.last).Scan(&n)
		return err == nil && n > 0
	}) {
		return errors.Join(ctx.Err(), err)
	}
	return nil
}

// rows counts the returns of the last job in a node's store.
func (s *stand) rows(ctx context.Context, t *testing.T, id string) (string, error) {
	db, err := s.store(id)
	if err != nil {
		return "", err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "SELECT id, count(*) FROM salt_returns WHERE jid = ? GROUP BY id ORDER BY id", s.last)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var minion string
		var n int
		if err := rows.Scan(&minion, &n); err != nil {
			return "", err
		}
		out = append(out, fmt.Sprintf("%s:%d", minion, n))
	}
	return strings.Join(out, " ") + "\n", rows.Err()
}
