package jobstore

import (
	"context"

	"github.com/momtree/mom/returners"
)

// Count returns what the embedded store and its outbox hold of a job.
func (s *Store) Count(ctx context.Context, jid string) (returners.JobCount, error) {
	if c, ok := s.o.Local.(returners.Counter); ok {
		return c.CountJob(ctx, jid)
	}
	rets, err := s.o.Local.GetReturns(ctx, jid)
	n := returners.JobCount{Returns: int64(len(rets))}
	for _, r := range rets {
		if n.First.IsZero() || r.At.Before(n.First) {
			n.First = r.At
		}
		if r.At.After(n.Last) {
			n.Last = r.At
		}
	}
	return n, err
}

// Outcomes returns the outcomes of a job in the embedded store, without results.
func (s *Store) Outcomes(ctx context.Context, jid string) ([]returners.Outcome, error) {
	return s.o.Local.Outcomes(ctx, jid)
}
