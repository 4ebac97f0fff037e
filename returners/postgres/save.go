package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// SaveLoads stores loads. The first load of a job stays, until the job is extended.
func (s *Store) SaveLoads(ctx context.Context, loads []returners.Load) error {
	rows := make([]keyed, 0, len(loads))
	for i := range loads {
		l := &loads[i]
		text, err := s.toJSON(l.Raw, "{}")
		if err != nil {
			return s.refuse("load of job "+l.JID, err)
		}
		rows = append(rows, keyed{jid: l.JID, row: row{[]any{l.JID, text}, len(text)}})
	}
	if err := s.note(ctx, rows); err != nil {
		return err
	}
	return s.save(ctx, jidsTable, rows)
}

// SaveReturns stores returns. The first one of a (jid, id) stays.
func (s *Store) SaveReturns(ctx context.Context, rets []returners.Return) error {
	rows := make([]keyed, 0, len(rets))
	for i := range rets {
		r := &rets[i]
		value, err := s.toJSON(r.Value, "null")
		if err != nil {
			return s.refuse(fmt.Sprintf("return of %s to job %s", r.ID, r.JID), err)
		}
		full, err := s.toJSON(r.Full, "{}")
		if err != nil {
			return s.refuse(fmt.Sprintf("load of the return of %s to job %s", r.ID, r.JID), err)
		}
		success := "false"
		if r.Success {
			success = "true"
		}
		rows = append(rows, keyed{r.JID, r.ID, row{
			[]any{r.Fun, r.JID, value, r.ID, success, full, s.stamp(r.At)}, len(r.Fun) + len(value) + len(full),
		}})
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
	var rows, nodes, gone []keyed
	for i := range exps {
		e := &exps[i]
		at := s.stamp(e.At)
		if e.State == "" || e.State == "answered" || e.State == "plain" || len(e.Minions)+len(e.Missing) > 0 { // else it reports nothing
			nodes = append(nodes, keyed{e.JID, e.Node, row{[]any{e.JID, e.Node, at}, len(e.Node)}})
		}
		for _, id := range e.Minions {
			if _, down := e.Missing[id]; !down {
				rows = append(rows, keyed{e.JID, id, row{[]any{e.JID, id, e.Node, nil, at}, 2 * len(id)}})
			}
		}
		for _, id := range slices.Sorted(maps.Keys(e.Missing)) {
			rows = append(rows, keyed{e.JID, id, row{[]any{e.JID, id, e.Node, e.Missing[id], at}, 2*len(id) + len(e.Missing[id])}})
			gone = append(gone, keyed{jid: e.JID, id: id})
			s.absent.Add(e.JID, struct{}{})
		}
	}
	if err := errors.Join(s.note(ctx, nodes), s.note(ctx, rows)); err != nil {
		return err
	}
	if err := s.save(ctx, nodesTable, nodes); err != nil {
		return err
	}
	if err := s.save(ctx, expectedTable, rows); err != nil {
		return err
	}
	return s.returnedAlready(ctx, gone)
}

// SaveEvents stores events. The first one of a Key stays.
func (s *Store) SaveEvents(ctx context.Context, events []returners.Event) error {
	rows := make([]keyed, 0, len(events))
	for i := range events {
		e := &events[i]
		data, err := s.toJSON(e.Data, "null")
		if err != nil {
			return s.refuse("event "+e.Tag, err)
		}
		var key any
		if e.Key != "" {
			key = e.Key
		}
		// One jid for all: events are written in their order, not in that of their keys.
		rows = append(rows, keyed{row: row{[]any{e.Tag, data, s.stamp(e.At), e.MasterID, key}, len(e.Tag) + len(data)}})
	}
	return s.save(ctx, eventsTable, rows)
}

// keyed is a row with its sort key: writers that take locks in one order do not deadlock.
type keyed struct {
	jid, id string
	row     row
}

func (s *Store) save(ctx context.Context, t *table, rows []keyed) error {
	if len(rows) == 0 {
		return nil
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	slices.SortStableFunc(rows, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.jid, b.jid), cmp.Compare(a.id, b.id))
	})
	for _, wave := range waves(t, rows) {
		if err := s.insert(ctx, t, wave); err != nil {
			return err
		}
	}
	return nil
}

// waves splits sorted rows so that no part has two rows of one key, if the table needs that.
// Rows of one key keep their order.
func waves(t *table, rows []keyed) (out [][]row) {
	wave := 0
	for i := range rows {
		if wave++; i == 0 || !t.merges || rows[i].jid != rows[i-1].jid || rows[i].id != rows[i-1].id {
			wave = 0
		}
		if wave == len(out) {
			out = append(out, nil)
		}
		out[wave] = append(out[wave], rows[i].row)
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
func (s *Store) toJSON(raw wire.Raw, empty string) (string, error) {
	if len(raw) == 0 {
		return empty, nil
	}
	b, err := wire.ToJSON(raw)
	if err == nil && s.o.form.json == "jsonb" {
		b = toJSONB(b)
	}
	return string(b), err
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
