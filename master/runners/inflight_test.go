package runners

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

// inflightEnv is an Env with jobs in flight.
type inflightEnv struct {
	Env
	loads
	limit int
}

func (e *inflightEnv) Jobs(context.Context, string) (returners.Reader, error) { return e.loads, nil }

func (e *inflightEnv) Inflight(limit int) Inflight {
	e.limit = limit
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	return Inflight{
		Jobs: []engine.Summary{
			{JID: "2", Fun: "cmd.run", Opened: at.Add(-time.Minute), Expected: 5, Returned: 2, Failed: 1, Missing: 1, Waiting: 1, For: []string{"a/web-01"}, Nodes: []string{"b"}},
			{JID: "1", Fun: "test.ping", Opened: at.Add(-time.Hour), Held: true},
		},
		Open: 7, Returned: 100, Closed: 9, At: at,
	}
}

// loads is a reader that has only the loads of jobs.
type loads struct {
	returners.Reader
	byJID map[string]wire.Raw
}

func (l loads) GetLoad(_ context.Context, jid string) (returners.Load, bool, error) {
	raw, ok := l.byJID[jid]
	return returners.Load{JID: jid, Raw: raw}, ok, nil
}

func TestInflight(t *testing.T) {
	raw, err := wire.Encode(wire.NewMap("tgt", "web-*", "tgt_type", "glob", "user", "joe"))
	if err != nil {
		t.Fatal(err)
	}
	env := &inflightEnv{loads: loads{byJID: map[string]wire.Raw{"2": raw}}}
	v, err := Run(context.Background(), &Call{Bound: Bind(Request{Fun: "jobs.inflight"}), Env: env})
	if err != nil {
		t.Fatal(err)
	}
	m := v.(*wire.Map)
	jobs := m.List("jobs")
	if m.Float("open") != 7 || m.Float("returned") != 100 || m.Float("closed") != 9 || len(jobs) != 2 || env.limit != inflightLimit {
		t.Fatalf("%v, limit %d", m, env.limit)
	}
	first := jobs[0].(*wire.Map)
	if first.String("user") != "joe" || first.String("tgt") != "web-*" || first.Float("age") != 60 || first.Float("waiting") != 1 ||
		len(first.List("waits_for")) != 1 || len(first.List("nodes_due")) != 1 {
		t.Errorf("%v", first)
	}
	if second := jobs[1].(*wire.Map); !second.Bool("held") || second.Has("user") {
		t.Errorf("a job without a load: %v", second)
	}
	for _, c := range []struct {
		limit any
		want  int
	}{{int64(3), 3}, {int64(1 << 40), inflightLimit}} {
		if _, err := Run(context.Background(), &Call{Bound: Bind(Request{Fun: "jobs.inflight", Args: []any{c.limit}}), Env: env}); err != nil || env.limit != c.want {
			t.Errorf("limit %v gives %d, %v", c.limit, env.limit, err)
		}
	}
	for _, bad := range []any{"x", int64(-1)} {
		if _, err := Run(context.Background(), &Call{Bound: Bind(Request{Fun: "jobs.inflight", Args: []any{bad}}), Env: env}); err == nil {
			t.Errorf("limit %v is taken", bad)
		}
	}
	if _, err := Run(context.Background(), &Call{Bound: Bind(Request{Fun: "jobs.inflight"}), Env: shape{}}); err == nil || !strings.Contains(err.Error(), "keeps no account") {
		t.Errorf("an environment without accounts: %v", err)
	}
}
