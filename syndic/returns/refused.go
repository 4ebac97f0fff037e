package returns

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/link"
)

// request sends a batch. A "bad load" answer refuses the whole request, either because keys or
// clocks are wrong or because one row is unreadable (older masters say no more). request then sends
// an empty batch: if that is accepted, the rows are at fault and the error wraps
// [link.ErrNotTaken].
func (s *Handover) request(ctx context.Context, load *wire.Map) (wire.Verdicts, error) {
	v, err := link.Outcome(s.o.Parent.Request(ctx, load))
	//mutant:refused-batch-is-halved,simulated-refusal
	if errors.Is(err, channel.ErrRefused) && s.ask(ctx) == nil {
		err = fmt.Errorf("%w: %w", link.ErrNotTaken, err)
	}
	return v, err
}

// refusedAll handles a request that was not accepted.
func (s *Handover) refusedAll(ctx context.Context, rows []returners.Item, err error) Result {
	if !errors.Is(err, link.ErrNotTaken) {
		s.back(rows)
		return Result{Err: err}
	}
	s.mu.Lock()
	s.trouble = true
	s.size = max(len(rows)/2, 1)
	if len(rows) == 1 && rows[0].Seq != s.last {
		s.refused++
		s.last = rows[0].Seq
	}
	refused := s.refused
	s.mu.Unlock()
	switch {
	case len(rows) > 1: // one of them may be at fault
		s.back(rows)
		return Result{}
	case refused > 1: // nothing is accepted: the parent is at fault
		s.mu.Lock()
		f := s.window.Fault(rows[0].Seq)
		if f.Strikes == 0 {
			f.Taken = s.taken
		}
		f.Strikes++
		s.window.Rest(rows[0], f, s.o.Now())
		s.window.Doubt(true)
		s.mu.Unlock()
		return Result{Err: err}
	}
	return s.strike(ctx, rows[0], err)
}

// setAside rejects the rows that the parent refused by name, and returns the others. The parent has
// ended the jobs of the refused rows itself.
func (s *Handover) setAside(ctx context.Context, rows []returners.Item, refused map[wire.ReturnOf]string) (rest []returners.Item, err error) {
	if len(refused) == 0 {
		return rows, nil
	}
	for _, it := range rows {
		reason, is := refused[wire.ReturnOf{JID: it.JID, ID: it.ID}]
		if !is {
			rest = append(rest, it)
			continue
		}
		if err := s.reject(ctx, it, errors.New(reason)); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// end sends an error in the place of a refused row. Otherwise its job would stay open at the parent
// forever.
func (s *Handover) end(ctx context.Context, it returners.Item, why error) error {
	ret, err := wire.ParseReturn(it.Payload)
	if err != nil { // the row names the job and the minion
		ret = wire.Return{}
	}
	ret.JID, ret.ID = it.JID, it.ID
	payload, err := wire.Encode(wire.ErrorReturn(ret, wire.NotTaken(it.ID, s.o.Name, why)))
	if err != nil {
		return fmt.Errorf("send error in place of a refused return: %w", err)
	}
	b := s.batch()
	it.Payload = payload
	if err := b.add(it); err != nil {
		return fmt.Errorf("send error in place of a refused return: %w", err)
	}
	s.loaded.Add(it.JID, struct{}{}) // the job's load may be at fault
	load, err := b.load(ctx)
	if err != nil {
		return err
	}
	v, err := s.request(ctx, load)
	if err == nil && !v.None() {
		err = link.ErrNotTaken
	}
	if err != nil {
		return fmt.Errorf("send error in place of a refused return: %w", err)
	}
	s.mu.Lock()
	s.taken++
	s.mu.Unlock()
	s.succeeded()
	return nil
}

// reject sets aside a row that can never be delivered, or moves it to the other parents that need
// it.
func (s *Handover) reject(ctx context.Context, it returners.Item, why error) error {
	//mutant:refused-row-goes-to-other-parents
	if sharer, ok := s.o.Parent.(Sharer); ok && len(sharer.Others(it)) > 0 {
		s.o.Log.Warn("return rejected by one parent, sending it to the others",
			"jid", it.JID, "minion", it.ID, "master", s.o.Name, "err", why)
		return s.settle(ctx, []returners.Item{it})
	}
	s.o.Log.Error("return rejected by parent, set aside", "dest", returners.Rejected(it.Dest),
		"jid", it.JID, "minion", it.ID, "row", it.Seq, "err", why)
	if err := s.o.Outbox.OutboxReject(ctx, it.Dest, it.Seq, why.Error()); err != nil {
		return fmt.Errorf("set aside outbox row: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window.Done(it)
	return nil
}
