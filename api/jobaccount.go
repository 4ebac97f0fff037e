package api

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology/trace"
	"github.com/momtree/mom/value"
)

// accountOf is the account of a job as GET /jobs/JID/status shows it.
func accountOf(id string, s trace.Step) *value.Map {
	m := value.NewMap("jid", id, "fun", s.Fun, "state", s.State, "complete", s.State == trace.Closed,
		"expected", s.Expected, "returned", s.Returned, "failed", s.Failed,
		"missing_count", s.MissingAll, "missing", namedMinions(s.Missing), "waiting_count", s.WaitingAll, "waiting", namedMinions(s.Waiting))
	for _, t := range []struct {
		name string
		at   time.Time
	}{{"published", s.Published}, {"first_return", s.First}, {"last_return", s.Last}, {"closed", s.Moments.Closed}} {
		if !t.at.IsZero() {
			m.Set(t.name, t.at.UTC().Format(time.RFC3339Nano))
		}
	}
	nodes := make([]any, 0, len(s.Nodes))
	for _, n := range s.Nodes {
		nodes = append(nodes, n.Map())
	}
	m.Set("nodes", nodes)
	return m
}

func namedMinions(list []trace.Named) []any {
	out := make([]any, 0, len(list))
	for _, n := range list {
		m := value.NewMap("id", n.ID, "path", n.Behind)
		if n.Why != "" {
			m.Set("reason", n.Why)
		}
		out = append(out, m)
	}
	return out
}

// unknownToAll reports whether a trace has failed because no node knows the job.
func unknownToAll(err error) bool {
	e, ok := errors.AsType[*client.RunnerError](err)
	if !ok || e.Value == nil {
		return false
	}
	m, err := e.Value.Map()
	return err == nil && m.String("state") == trace.Unknown
}

// missingMinions shows missing minions by id, with reason and path.
func missingMinions(missing map[string]client.Missing) *value.Map {
	out := value.NewMap()
	for _, id := range slices.Sorted(maps.Keys(missing)) {
		out.Set(id, value.NewMap("reason", missing[id].Reason, "path", missing[id].Path))
	}
	return out
}
