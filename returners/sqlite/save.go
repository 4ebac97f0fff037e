package sqlite

import (
	"context"

	"github.com/momtree/mom/returners"
)

// SaveLoads stores loads. The first load of a job stays.
func (s *Store) SaveLoads(ctx context.Context, loads []returners.Load) error {
	_, err := s.Commit(ctx, Batch{Loads: loads})
	return err
}

// SaveExpectations adds to the expectations of their nodes.
func (s *Store) SaveExpectations(ctx context.Context, exps []returners.Expectation) error {
	_, err := s.Commit(ctx, Batch{Expectations: exps})
	return err
}

// SaveReturns stores returns. The first one of a (jid, id) stays.
func (s *Store) SaveReturns(ctx context.Context, rets []returners.Return) error {
	_, err := s.Commit(ctx, Batch{Returns: rets})
	return err
}

// SaveEvents stores events. The first one of a Key stays.
func (s *Store) SaveEvents(ctx context.Context, events []returners.Event) error {
	_, err := s.Commit(ctx, Batch{Events: events})
	return err
}
