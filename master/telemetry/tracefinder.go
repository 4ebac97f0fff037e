package telemetry

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology/trace"
)

// Finder gathers where a job is from one master down.
type Finder struct {
	// Node is this master's id.
	Node   string
	Ledger interface {
		State(jid string) (engine.Account, bool)
	}
	Book *TraceBook
	// Store counts what is kept of a job, and Local reads it.
	Store interface {
		Count(ctx context.Context, jid string) (returners.JobCount, error)
		Outcomes(ctx context.Context, jid string) ([]returners.Outcome, error)
	}
	Local returners.Reader
	// Ask asks the nodes right below about a job.
	Ask func(ctx context.Context, jid string) (map[string]nodecall.Answer, error)
}

// Find asks all that know of a job.
func (f *Finder) Find(ctx context.Context, jid string) (trace.Step, error) {
	s := trace.Step{Node: f.Node, State: trace.Unknown}
	account, known := f.Ledger.State(jid)
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
	if at, ok := f.Book.Moments(jid); ok {
		s.Moments, s.TraceID = at, f.Book.Trace(jid).TraceID()
	}
	if err := f.stored(ctx, jid, known, &s); err != nil {
		return s, err
	}
	below, err := f.Ask(ctx, jid)
	if err != nil {
		return s, err
	}
	for _, id := range slices.Sorted(maps.Keys(below)) {
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

// stored adds what the job store knows. A job that the ledger has forgotten
// is over; what it came to is read from there alone.
func (f *Finder) stored(ctx context.Context, jid string, known bool, s *trace.Step) error {
	n, err := f.Store.Count(ctx, jid)
	if err != nil {
		return err
	}
	s.Stored, s.Pending = int(n.Returns), n.Pending
	if s.First.IsZero() {
		s.First, s.Last = n.First, n.Last
	}
	if known {
		return nil
	}
	load, ok, err := f.Local.GetLoad(ctx, jid)
	if err != nil || !ok {
		return err
	}
	s.State = trace.Closed
	if s.Received.IsZero() {
		s.Received = load.At
	}
	_ = wire.Fields(load.Raw, func(key string, val wire.Raw) error { // without fun it has no name, that is all
		switch key {
		case "fun":
			s.Fun = wire.FunName(val)
		case tracing.ParentField:
			s.TraceID = tracing.Fields(val, nil).TraceID()
		}
		return nil
	})
	xs, err := f.Local.GetExpectations(ctx, jid)
	if err != nil {
		return err
	}
	missing, expected := engine.Absent(xs), map[string]bool{}
	for id := range missing {
		expected[id] = true
	}
	for _, x := range xs {
		for _, id := range x.Minions {
			expected[id] = true
		}
	}
	rets, err := f.Store.Outcomes(ctx, jid)
	if err != nil {
		return err
	}
	for _, r := range rets {
		expected[r.ID] = true
		delete(missing, r.ID)
		if r.OK {
			s.Returned++
		} else {
			s.Failed++
		}
	}
	s.Expected, s.MissingAll, s.Missing = len(expected), len(missing), namesOf(missing)
	// trace.Closed, and neither returned nor missing: their account was cut short.
	s.WaitingAll = s.Expected - s.Returned - s.Failed - s.MissingAll
	return nil
}

func readStep(raw wire.Raw) (trace.Step, error) {
	d, err := wire.DecodeMap(raw)
	if err != nil {
		return trace.Step{}, fmt.Errorf("read the trace: %w", err)
	}
	return trace.FromMap(d)
}

func namesOf(gone map[string]jobevent.Absence) []trace.Named {
	var out []trace.Named
	for _, id := range firstNames(slices.Sorted(maps.Keys(gone))) {
		out = append(out, trace.Named{ID: id, Why: gone[id].Reason, Behind: gone[id].Path})
	}
	return out
}

func waitersOf(paths map[string]string) []trace.Named {
	var out []trace.Named
	for _, id := range firstNames(slices.Sorted(maps.Keys(paths))) {
		out = append(out, trace.Named{ID: id, Behind: paths[id]})
	}
	return out
}

func firstNames(ids []string) []string {
	return ids[:min(len(ids), trace.Names)]
}
