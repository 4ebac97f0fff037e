package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/sqlrows"
)

// SaveLoads stores loads. The first load of a job stays, until the job is extended.
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
	for _, wave := range waves(t, rows) {
		err := s.writer.Write(ctx, wave, t.repeatable, func(ctx context.Context, rows []sqlrows.Row) error { return s.send(ctx, t, rows) })
		if err != nil {
			return err
		}
	}
	return nil
}

// waves splits sorted rows so that no part has two rows of one key, if the table needs that.
// Rows of one key keep their order.
func waves(t *table, rows []sqlrows.Row) (out [][]sqlrows.Row) {
	wave := 0
	for i := range rows {
		if wave++; i == 0 || !t.merges || rows[i].JID != rows[i-1].JID || rows[i].ID != rows[i-1].ID {
			wave = 0
		}
		if wave == len(out) {
			out = append(out, nil)
		}
		out[wave] = append(out[wave], rows[i])
	}
	return out
}

// stamp returns the value of a time.
func (s *Store) stamp(at time.Time) time.Time {
	if at.IsZero() {
		at = s.o.Now()
	}
	return at.UTC()
}

// toJSON returns a value as the columns with JSON hold it.
func (s *Store) toJSON(raw wire.Raw) ([]byte, error) {
	b, err := wire.ToJSON(raw)
	if err == nil && s.o.form.json == "jsonb" {
		b = toJSONB(b)
	}
	return b, err
}

// fromJSON reads the text of a column with JSON; NULL is an empty map.
func (s *Store) fromJSON(text []byte) (wire.Raw, error) {
	if len(text) == 0 {
		text = []byte("{}")
	}
	if s.o.form.json == "jsonb" {
		text = fromJSONB(text)
	}
	return wire.FromJSON(text)
}
