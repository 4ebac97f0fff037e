package peercall

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// errOthers refuses the results of a job that somebody else started.
var errOthers = errors.New("it asks for the results of a job that it did not start")

// results returns the results of a job so far, by minion, as {ret, out}. Only the minion that
// started the job may read them.
func (s *Service) results(ctx context.Context, id, job string) (*wire.Map, error) {
	out := wire.NewMap()
	if !jid.Valid(job) {
		return out, nil
	}
	if !s.started.Contains(job) && s.o.Above.Connected() {
		v, err := s.o.Above.Call(ctx, wire.NewMap("cmd", resultsCommand, "for", id, "jid", job))
		if err != nil {
			s.o.Log.Debug("results of a parent's job unavailable", "minion", id, "jid", job, "err", err)
		}
		if m, ok := v.(*wire.Map); ok {
			out = m.Clone()
		}
	}
	store, err := s.o.Results(ctx)
	if err != nil {
		return nil, err
	}
	asked, known, err := s.askedBy(ctx, job)
	if err != nil || !known {
		return out, err
	}
	//mutant:peer-results-of-others
	if asked != id {
		s.refuse(id, job, errOthers)
		return wire.NewMap(), nil
	}
	rets, err := store.GetReturns(ctx, job)
	if err != nil {
		return nil, fmt.Errorf("results of job %s: %w", job, err)
	}
	for _, r := range rets {
		m := wire.NewMap("ret", r.Value)
		if r.Out != "" {
			m.Set("out", r.Out)
		}
		out.Set(r.ID, m)
	}
	return out, nil
}

// askedBy returns the minion that a job was started for, or "".
func (s *Service) askedBy(ctx context.Context, job string) (id string, known bool, err error) {
	store, err := s.o.Results(ctx)
	if err != nil {
		return "", false, err
	}
	l, known, err := store.GetLoad(ctx, job)
	if err != nil || !known {
		return "", known, err
	}
	d, err := wire.DecodeMap(l.Raw)
	if err != nil {
		return "", false, fmt.Errorf("record of job %s: %w", job, err)
	}
	return d.Map("kwargs").String("id"), true, nil
}

// resultsForNode returns the results of a job that was started here for a minion behind a node.
func (s *Service) resultsForNode(ctx context.Context, node string, d *wire.Map) (any, error) {
	id := d.String("for")
	//mutant:peer-nodes-read-for-theirs
	if !s.o.Owns(node, id) {
		s.refuse(node, d.String("jid"), fmt.Errorf("it asks for results of minion %q, which is not behind it", id))
		return wire.NewMap(), nil
	}
	return s.results(ctx, id, d.String("jid"))
}
