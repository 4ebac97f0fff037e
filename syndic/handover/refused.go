package handover

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// request sends a batch. A parent that answers "bad load" takes nothing of what it
// was sent, whatever is in it: as long as keys and clocks are wrong, or since one row
// cannot be read there (masters older than the verdicts say no more). An empty batch
// tells which: if that is taken, the rows are at fault.
func (s *Sender) request(ctx context.Context, load *wire.Map) (wire.Verdicts, error) {
	v, err := Outcome(s.o.Parent.Request(ctx, load))
	if errors.Is(err, channel.ErrRefused) && s.probe(ctx) == nil {
		err = fmt.Errorf("%w: %w", ErrNotTaken, err)
	}
	return v, err
}

// setAside keeps the rows that the parent has refused by name. It has ended their
// jobs itself.
func (s *Sender) setAside(ctx context.Context, b *batch, rows []returners.Item, refused map[wire.ReturnOf]string) error {
	if len(refused) == 0 {
		return nil
	}
	for _, it := range rows {
		reason, is := refused[wire.ReturnOf{JID: it.JID, ID: it.ID}]
		i := slices.Index(b.done, it.Seq)
		if !is || i < 0 { // another parent is owed it as well
			continue
		}
		b.done = slices.Delete(b.done, i, i+1)
		if err := s.reject(ctx, it, errors.New(reason)); err != nil {
			return err
		}
	}
	return nil
}

// end tells the parent in the place of a row that it refuses that the minion has
// failed: otherwise the job would stay open there for ever.
func (s *Sender) end(ctx context.Context, it returners.Item, why error) error {
	ret, err := wire.ParseReturn(it.Payload)
	if err != nil { // what can be known of it stands beside it
		ret = wire.Return{}
	}
	ret.JID, ret.ID = it.JID, it.ID
	payload, err := wire.Encode(wire.ErrorReturn(ret, wire.NotTaken(it.ID, s.o.Name, why)))
	if err != nil {
		return fmt.Errorf("an error in its place: %w", err)
	}
	b := s.batch()
	it.Payload = payload
	if err := b.add(it); err != nil {
		return fmt.Errorf("an error in its place: %w", err)
	}
	s.loaded.Set(it.JID, struct{}{}) // the job's load may be what is refused
	load, err := b.load(ctx)
	if err != nil {
		return err
	}
	v, err := s.request(ctx, load)
	if err == nil && !v.None() {
		err = ErrNotTaken
	}
	if err != nil {
		return fmt.Errorf("an error in its place: %w", err)
	}
	s.taken++
	return nil
}
