package returns

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/link"
)

// Result is the outcome of a request.
type Result struct {
	// Taken reports that the parent accepted returns.
	Taken bool
	// Err reports that the parent accepts nothing now; try again later.
	Err error
}

// Send sends a request, waits for the answer and processes it: accepted rows leave the outbox,
// others return to the window.
func (s *Handover) Send(ctx context.Context, f *Request) Result {
	var l Result
	if f.probe {
		l.Err = s.probe(ctx)
	} else {
		l = s.carry(ctx, f.rows)
	}
	if l.Err != nil {
		s.failed(ctx)
	}
	s.mu.Lock()
	s.inFlight--
	s.mu.Unlock()
	return l
}

// probe asks a parent whose last request failed whether it accepts returns again, with an empty
// request: meanwhile another parent may have taken over its rows.
func (s *Handover) probe(ctx context.Context) error {
	if err := s.ask(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	s.proven, s.refused, s.last = true, 0, 0
	s.mu.Unlock()
	return nil
}

func (s *Handover) ask(ctx context.Context) error {
	err := link.Verdict(s.o.Parent.Request(ctx, wire.NewMap("cmd", "_syndic_return", "load", []any{})))
	if err != nil {
		return fmt.Errorf("probe parent %s: %w", s.o.Name, err)
	}
	return nil
}

// carry sends rows.
func (s *Handover) carry(ctx context.Context, rows []returners.Item) Result {
	b := s.batch()
	rest := make([]returners.Item, 0, len(rows))
	for i, it := range rows {
		if bad := b.add(it); bad == nil {
			rest = append(rest, it)
		} else if err := s.reject(ctx, it, bad); err != nil {
			s.back(append(rest, rows[i:]...))
			return Result{Err: err}
		}
	}
	rows = rest
	var v wire.Verdicts
	if len(b.entries) > 0 {
		load, err := b.load(ctx)
		if err == nil {
			begun := s.o.Now()
			v, err = s.request(ctx, load)
			if s.o.Sent != nil {
				s.o.Sent(ctx, b.count(), begun, err)
			}
		}
		if err != nil {
			return s.refusedAll(ctx, rows, fmt.Errorf("send %d returns to %s: %w", b.returns, s.o.Name, err))
		}
	}
	taken, notNow := leave(rows, v.Left)
	some := len(taken) > 0
	taken, err := s.setAside(ctx, taken, v.Refused)
	if err == nil {
		err = s.settle(ctx, taken)
	}
	if err != nil {
		s.back(rows) // rows set aside by now have left the window
		return Result{Err: err}
	}
	for _, j := range b.entries {
		s.loaded.Add(j.jid, struct{}{})
	}
	s.mu.Lock()
	s.size = min(2*s.size, s.o.Bounds.ForwardRows)
	if some {
		s.taken++
		s.window.Doubt(false)
	}
	s.mu.Unlock()
	s.succeeded()
	if err := s.postpone(ctx, notNow); err != nil {
		return Result{Err: err}
	}
	return Result{Taken: some}
}

// leave splits rows into those the parent accepted and those it deferred.
func leave(rows []returners.Item, left map[wire.ReturnOf]bool) (taken, notNow []returners.Item) {
	if len(left) == 0 {
		return rows, nil
	}
	for _, it := range rows {
		if left[wire.ReturnOf{JID: it.JID, ID: it.ID}] {
			notNow = append(notNow, it)
		} else {
			taken = append(taken, it)
		}
	}
	return taken, notNow
}

// settle removes accepted rows, and adds them to the outboxes of the other parents that need them.
func (s *Handover) settle(ctx context.Context, rows []returners.Item) error {
	sharer, _ := s.o.Parent.(Sharer)
	byDest, others := map[string][]returners.Move{}, map[string]bool{}
	for _, it := range rows {
		m := returners.Move{Seq: it.Seq}
		if sharer != nil {
			//mutant:returns-pending-per-parent
			m.To = sharer.Others(it)
		}
		for _, dest := range m.To {
			others[dest] = true
		}
		byDest[it.Dest] = append(byDest[it.Dest], m)
	}
	for _, dest := range s.o.Dests {
		if err := s.o.Outbox.OutboxMove(ctx, dest, byDest[dest]); err != nil {
			return fmt.Errorf("remove acknowledged rows from the outbox: %w", err)
		}
	}
	s.mu.Lock()
	s.window.Done(rows...)
	s.mu.Unlock()
	for _, dest := range slices.Sorted(maps.Keys(others)) {
		sharer.Wake(dest)
	}
	return nil
}

// back returns rows that were not accepted to the window.
func (s *Handover) back(rows []returners.Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window.Back(rows...)
}
