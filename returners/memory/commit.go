package memory

import (
	"cmp"
	"context"
	"fmt"

	"github.com/momtree/mom/returners"
)

// Commit stores a batch at once.
func (s *Store) Commit(_ context.Context, b returners.Batch) (returners.Result, error) {
	if err := b.Validate(); err != nil {
		return returners.Result{}, fmt.Errorf("job store in memory: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return returners.Result{}, err
	}
	now := s.now()
	res := returners.Result{
		NewLoads: make([]bool, len(b.Loads)), NewExpectations: make([]bool, len(b.Expectations)), NewReturns: make([]bool, len(b.Returns)),
	}
	fresh := make(map[rowKey]struct{}, len(b.Outbox))
	for i := range b.Loads {
		if res.NewLoads[i] = s.putLoad(&b.Loads[i], now); res.NewLoads[i] {
			fresh[rowKey{returners.KindLoad, b.Loads[i].JID, ""}] = struct{}{}
		}
	}
	said := changedMarks{}
	for i := range b.Expectations {
		x := &b.Expectations[i]
		if res.NewExpectations[i] = s.putExpectation(x, now, said); res.NewExpectations[i] {
			fresh[rowKey{returners.KindExpectation, x.JID, x.Node}] = struct{}{}
		}
	}
	for i := range b.Returns {
		r := &b.Returns[i]
		if res.NewReturns[i] = s.putReturn(r, now); res.NewReturns[i] && len(b.Outbox) > 0 {
			fresh[rowKey{returners.KindReturn, r.JID, r.ID}] = struct{}{}
		}
	}
	for i := range b.Events {
		e := &b.Events[i]
		if e.Key != "" {
			if _, known := s.keys[e.Key]; known {
				continue
			}
			s.keys[e.Key] = struct{}{}
		}
		s.events = append(s.events, event{cmp.Or(e.At, now).UnixMicro(), e.Key})
	}
	s.putNotes(b.Notes)
	return res, s.putOutbox(b.Outbox, fresh, said, now)
}

// SaveLoads stores loads.
func (s *Store) SaveLoads(ctx context.Context, loads []returners.Load) error {
	_, err := s.Commit(ctx, returners.Batch{Loads: loads})
	return err
}

// SaveExpectations stores expectations.
func (s *Store) SaveExpectations(ctx context.Context, exps []returners.Expectation) error {
	_, err := s.Commit(ctx, returners.Batch{Expectations: exps})
	return err
}

// SaveReturns stores returns.
func (s *Store) SaveReturns(ctx context.Context, rets []returners.Return) error {
	_, err := s.Commit(ctx, returners.Batch{Returns: rets})
	return err
}

// SaveEvents stores events.
func (s *Store) SaveEvents(ctx context.Context, events []returners.Event) error {
	_, err := s.Commit(ctx, returners.Batch{Events: events})
	return err
}
