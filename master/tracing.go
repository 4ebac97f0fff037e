package master

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/master/trace"
)

// answerTrace answers where a job is.
func (m *Master) answerTrace(ctx context.Context, arg wire.Raw) (any, error) {
	id, err := wire.Str(arg)
	if err != nil || !jid.Valid(id) {
		return nil, errors.Join(fmt.Errorf("%q is not a job id", id), err)
	}
	s, err := m.traceJob(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.Map(), nil
}

// traceJob gathers where a job is from this master down.
func (m *Master) traceJob(ctx context.Context, jid string) (trace.Step, error) {
	s := trace.Step{Node: m.id, State: trace.Unknown}
	account, known := m.ledger.State(jid)
	if known {
		s.State, s.Fun = trace.Closed, account.Fun
		if account.Open() {
			s.State = trace.Open
		}
		s.Expected, s.Returned, s.Failed = account.Expected, account.Returned, account.Failed
		s.MissingAll, s.WaitingAll = len(account.Missing), len(account.Waiting)
		s.Missing, s.Waiting = namesOf(account.Missing), waitersOf(account.Waiting)
		s.Received, s.Moments.Closed = account.Opened, account.Closed
	}
	if at, ok := m.traces.Moments(jid); ok {
		s.Moments = at
	}
	if err := m.traceStore(ctx, jid, known, &s); err != nil {
		return s, err
	}
	below, err := m.askNodes(ctx, nil, askTrace, jid)
	if err != nil {
		return s, err
	}
	for _, id := range sortedKeys(below) {
		c := trace.Step{Node: id, State: trace.Unreachable}
		_, asked := account.Nodes[id]
		if a := below[id]; a.Err != nil {
			c.Error = a.Err.Error()
			if state := account.Nodes[id]; state != "" {
				c.Error += "; here it is known as " + string(state)
			}
		} else if c, err = readStep(a.Value); err != nil {
			c = trace.Step{Node: id, State: trace.Unreachable, Error: err.Error()}
		}
		if c.Node = id; c.State != trace.Unknown || asked {
			s.Nodes = append(s.Nodes, c)
		}
	}
	return s, nil
}

// traceStore adds what the job store knows. A job that the ledger has forgotten
// is over; what it came to is read from there alone.
func (m *Master) traceStore(ctx context.Context, jid string, known bool, s *trace.Step) error {
	n, err := m.store.Count(ctx, jid)
	if err != nil {
		return err
	}
	s.Stored, s.Owed = int(n.Returns), n.Owed
	if s.First.IsZero() {
		s.First, s.Last = n.First, n.Last
	}
	if known {
		return nil
	}
	load, ok, err := m.store.Local().GetLoad(ctx, jid)
	if err != nil || !ok {
		return err
	}
	s.State = trace.Closed
	if s.Received.IsZero() {
		s.Received = load.At
	}
	_ = wire.Fields(load.Raw, func(key string, val wire.Raw) error { // without fun it has no name, that is all
		if key == "fun" {
			s.Fun = wire.FunName(val)
		}
		return nil
	})
	xs, err := m.store.Local().GetExpectations(ctx, jid)
	if err != nil {
		return err
	}
	missing, expected := map[string]ledger.Missing{}, map[string]bool{}
	for _, x := range xs {
		for _, id := range x.Minions {
			expected[id] = true
		}
		for id, why := range x.Missing {
			expected[id], missing[id] = true, ledger.Missing{Reason: why, Path: x.Node}
		}
	}
	rets, err := m.store.Local().GetReturns(ctx, jid)
	if err != nil {
		return err
	}
	for _, r := range rets {
		expected[r.ID] = true
		delete(missing, r.ID)
		if r.Success && r.Retcode == 0 {
			s.Returned++
		} else {
			s.Failed++
		}
	}
	s.Expected, s.MissingAll, s.Missing = len(expected), len(missing), namesOf(missing)
	// Closed, and neither returned nor missing: their account was cut short.
	s.WaitingAll = s.Expected - s.Returned - s.Failed - s.MissingAll
	return nil
}

func readStep(raw wire.Raw) (trace.Step, error) {
	d, err := wire.DecodeMap(raw)
	if err != nil {
		return trace.Step{}, fmt.Errorf("its trace cannot be read: %w", err)
	}
	return trace.FromMap(d)
}

func namesOf(gone map[string]ledger.Missing) []trace.Named {
	var out []trace.Named
	for _, id := range first(sortedKeys(gone)) {
		out = append(out, trace.Named{ID: id, Why: gone[id].Reason, Behind: gone[id].Path})
	}
	return out
}

func waitersOf(paths map[string]string) []trace.Named {
	var out []trace.Named
	for _, id := range first(sortedKeys(paths)) {
		out = append(out, trace.Named{ID: id, Behind: paths[id]})
	}
	return out
}

func first(ids []string) []string {
	sort.Strings(ids)
	return ids[:min(len(ids), trace.Names)]
}
