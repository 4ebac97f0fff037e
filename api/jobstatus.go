package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/topology/trace"
	"github.com/momtree/mom/value"
)

// jobStatus tells the account of a job: how many were expected, have returned, failed, are
// missing and why, and whom it waits for, each with the path of nodes to it.
func (s *Server) jobStatus(c *call) error {
	wait, err := seconds(c.r, "timeout", maxWait)
	if err != nil {
		return err
	}
	raw, err := flag(c.r.URL.Query(), "raw")
	if err != nil {
		return err
	}
	id := c.r.PathValue("jid")
	if !jid.Valid(id) {
		return refuse(http.StatusNotFound, "this is no job id")
	}
	ctx, cancel := context.WithTimeout(c.ctx, s.o.RunnerTime+wait)
	defer cancel()
	step, err := s.session(c.token).Trace(ctx, id, wait)
	if err != nil && !unknownJob(err) {
		return err
	}
	if err != nil || step.State == trace.Unknown {
		return refuse(http.StatusNotFound, "the master does not know this job, or no more")
	}
	v := status(id, step)
	if raw {
		v = step.Map()
	}
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("return", []any{v}))
	return nil
}

// unknownJob tells whether a trace has failed since no node knows the job.
func unknownJob(err error) bool {
	e, ok := errors.AsType[*client.RunnerError](err)
	if !ok || e.Value == nil {
		return false
	}
	m, err := e.Value.Map()
	return err == nil && m.String("state") == trace.Unknown
}

func status(id string, s trace.Step) *value.Map {
	m := value.NewMap("jid", id, "fun", s.Fun, "state", s.State, "complete", s.State == trace.Closed,
		"expected", s.Expected, "returned", s.Returned, "failed", s.Failed,
		"missing_count", s.MissingAll, "missing", named(s.Missing), "waiting_count", s.WaitingAll, "waiting", named(s.Waiting))
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

func named(list []trace.Named) []any {
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
