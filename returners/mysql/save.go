package mysql

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

// SaveLoads stores loads. As in Salt, the first load of a job stays, until the job is
// extended.
func (s *Store) SaveLoads(ctx context.Context, loads []returners.Load) error {
	rows, err := s.form.Loads(loads)
	if err != nil {
		return err
	}
	if err := s.note(ctx, rows); err != nil {
		return err
	}
	return s.save(ctx, jidsTable, rows)
}

// SaveReturns stores returns. The first one of a (jid, id) stays.
func (s *Store) SaveReturns(ctx context.Context, rets []returners.Return) error {
	rows, err := s.form.Returns(rets)
	if err != nil {
		return err
	}
	if err := s.note(ctx, rows); err != nil {
		return err
	}
	if err := s.save(ctx, returnsTable, rows); err != nil {
		return err
	}
	return s.settle(ctx, rows)
}

// SaveExpectations stores one row per minion and one per node.
func (s *Store) SaveExpectations(ctx context.Context, exps []returners.Expectation) error {
	nodes, minions, missing := s.form.Expectations(exps)
	for i := range missing {
		s.absent.Add(missing[i].JID, struct{}{})
	}
	if err := errors.Join(s.note(ctx, nodes), s.note(ctx, minions)); err != nil {
		return err
	}
	if err := s.save(ctx, nodesTable, nodes); err != nil {
		return err
	}
	if err := s.save(ctx, expectedTable, minions); err != nil {
		return err
	}
	return s.returnedAlready(ctx, missing)
}

// SaveEvents stores events. The first one of a Key stays.
func (s *Store) SaveEvents(ctx context.Context, events []returners.Event) error {
	rows, err := s.form.Events(events)
	if err != nil {
		return err
	}
	return s.save(ctx, eventsTable, rows)
}

func (s *Store) save(ctx context.Context, t *table, rows []sqlrows.Row) error {
	if len(rows) == 0 {
		return nil
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	sqlrows.Sort(rows)
	return s.writer.Write(ctx, rows, t.repeatable, func(ctx context.Context, rows []sqlrows.Row) error { return s.send(ctx, t, rows) })
}

// refuse returns the error of a row that cannot be written as JSON.
func (s *Store) refuse(what string, err error) error {
	return &Fault{class: ClassData, doing: "write the " + what + " as JSON", where: s.o.where(), err: err}
}

// stamp returns the value of alter_time; the column holds whole seconds.
func (s *Store) stamp(at time.Time) time.Time {
	if at.IsZero() {
		at = s.o.Now()
	}
	return at.UTC().Truncate(time.Second)
}
