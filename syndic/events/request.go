package events

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/sequence"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/syndic/link"
)

// sender sends event requests to one parent.
type sender struct {
	o       *Options
	refused atomic.Int64 // consecutive events refused by the parent
}

// send sends events, and splits a refused batch in halves to find the event at fault. If the parent
// is away, it returns the events that remain to be sent.
func (r *sender) send(ctx context.Context, batch []bus.Event) (rest []bus.Event, err error) {
	err = r.request(ctx, batch)
	switch {
	case err == nil:
		r.refused.Store(0)
		return nil, nil
	case !errors.Is(err, link.ErrNotTaken):
		return batch, err
	case len(batch) == 1 || r.refused.Load() > 1: // this event is at fault, or the parent refuses all
		r.refused.Add(1)
		r.o.Log.Error("parent refuses events, dropping them", "count", len(batch), "tag", batch[0].Tag, "err", err)
		return nil, nil
	}
	half := len(batch) / 2
	if rest, err = r.send(ctx, batch[:half]); err != nil {
		return batch[half-len(rest):], err
	}
	return r.send(ctx, batch[half:])
}

func (r *sender) request(ctx context.Context, batch []bus.Event) error {
	load, err := r.load(batch)
	if err != nil {
		return err
	}
	if !Urgent(batch[0].Tag) || !r.o.Parent.Ours() {
		return link.Verdict(r.o.Parent.Request(ctx, load))
	}
	for {
		v, err := r.inOrder(ctx, load)
		oldest, late := sequence.ReadLate(v)
		if err != nil || !late {
			return link.Verdict(v, err)
		}
		// The clock was set back since an earlier run of this node.
		r.o.Numbers.Pass(oldest)
		if err := timing.Sleep(ctx, r.o.Pace.RetryMin); err != nil { // another node with this id may do the same
			return err
		}
	}
}

// inOrder sends a request with a sequence number, so that the parent rejects it after later ones.
func (r *sender) inOrder(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	m := r.o.Numbers.Next()
	defer r.o.Numbers.Done(m)
	sequence.Put(load, m)
	return r.o.Parent.Request(ctx, load)
}

func (r *sender) load(batch []bus.Event) (*wire.Map, error) {
	id := r.o.ID
	events := make([]any, len(batch))
	for i, e := range batch {
		data, err := stamped(e)
		if err != nil {
			return nil, fmt.Errorf("%w: event %s: %w", link.ErrNotTaken, e.Tag, err)
		}
		events[i] = wire.NewMap("data", data, "tag", e.Tag)
	}
	return wire.NewMap("id", id, "cmd", "_minion_event", "pretag", "syndic/"+id, "events", events), nil
}
