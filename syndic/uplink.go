package syndic

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/sequence"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

const (
	// answerQueue and answerQueueBytes bound what this node itself has to say of jobs
	// that its local master knows nothing of: a parent publishes them one after the other.
	answerQueue      = 4096
	answerQueueBytes = 32 << 20
)

// uplink sends events to one master above, the urgent ones at once.
type uplink struct {
	l    *link
	kick chan struct{} // send now
	some chan struct{} // something waits
	back chan struct{} // the parent is usable

	mu      sync.Mutex
	urgent  queue
	answers queue // of this node alone: nobody can tell them again
	news    queue
	aloft   flights
	teller  *teller

	numbers *sequence.Numbers // of requests with urgent events

	refused atomic.Int64 // events in a row that the parent refused
}

func newUplink(l *link) *uplink {
	b := l.s.bounds
	u := &uplink{
		l: l, kick: make(chan struct{}, 1), some: make(chan struct{}, 1), back: make(chan struct{}, 1),
		answers: queue{max: answerQueue, maxBytes: answerQueueBytes}, news: queue{max: b.NewsQueue, maxBytes: b.NewsQueueBytes},
		numbers: l.s.life.Numbers(),
	}
	u.teller = newTeller(u)
	u.urgent = queue{max: b.TellQueue, maxBytes: b.TellQueueBytes, gone: u.teller.lost}
	return u
}

// room tells whether a word that is told again has room: half of the queue is for what
// comes.
func (u *uplink) room() bool {
	n, bytes := u.urgent.len()+u.aloft.words, u.urgent.bytes+u.aloft.bytes
	return n == 0 || 2*n < u.urgent.max && 2*bytes < u.urgent.maxBytes
}

// answer queues what this node says of a job that its local master does not know.
func (u *uplink) answer(e bus.Event) {
	u.mu.Lock()
	u.answers.push(e)
	u.mu.Unlock()
	ring(u.kick)
}

// push queues an event and never waits.
func (u *uplink) push(e bus.Event) {
	if err := wire.FitsEvent(e.Data); err != nil { // no master above takes it, ever
		u.l.figures.dropped.Add(1)
		u.l.log.Error("An event cannot go to the masters above and stays here", "tag", e.Tag, "err", err)
		return
	}
	now := urgent(e.Tag)
	u.mu.Lock()
	if now {
		u.teller.heard(e)
		u.urgent.push(e)
	} else {
		u.news.push(e)
	}
	full := u.news.len() >= u.l.s.bounds.TellBatch
	u.mu.Unlock()
	if now || full {
		ring(u.kick)
	} else {
		ring(u.some)
	}
}

func split(batch []bus.Event) (words, ends []bus.Event) {
	for _, e := range batch {
		if closed(e.Tag) {
			ends = append(ends, e)
		} else {
			words = append(words, e)
		}
	}
	return words, ends
}

// ended tells the local master of closed jobs that need not be told again.
func (u *uplink) ended(ends []bus.Event) {
	for _, e := range ends {
		if c, all := u.l.s.parents.took(u.l, e); all {
			u.l.s.local.Told(c.JID, c.Word)
		}
	}
}

// hand sends events, in halves if the parent does not take them together, and
// gives back those that still have to be sent when the parent is away.
func (u *uplink) hand(ctx context.Context, batch []bus.Event) (rest []bus.Event, err error) {
	err = u.request(ctx, batch)
	switch {
	case err == nil:
		u.refused.Store(0)
		return nil, nil
	case !errors.Is(err, errNotTaken):
		return batch, err
	case len(batch) == 1 || u.refused.Load() > 1: // one is at fault, or the parent takes none
		u.refused.Add(1)
		u.l.log.Error("The master above refuses events; they are dropped", "count", len(batch), "tag", batch[0].Tag, "err", err)
		return nil, nil
	}
	half := len(batch) / 2
	if rest, err = u.hand(ctx, batch[:half]); err != nil {
		return batch[half-len(rest):], err
	}
	return u.hand(ctx, batch[half:])
}

func (u *uplink) request(ctx context.Context, batch []bus.Event) error {
	load, err := u.load(batch)
	if err != nil {
		return err
	}
	if !urgent(batch[0].Tag) || !u.l.ours.Load() {
		return verdict(u.l.request(ctx, load))
	}
	for {
		v, err := u.inOrder(ctx, load)
		oldest, late := sequence.ReadLate(v)
		if err != nil || !late {
			return verdict(v, err)
		}
		// The clock was set back since an earlier life of this node.
		u.numbers.Pass(oldest)
		if err := sleep.For(ctx, u.l.s.pace.retryMin); err != nil { // another node of this id may do the same
			return err
		}
	}
}

// inOrder sends words that the parent must not hear after later ones.
func (u *uplink) inOrder(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	m := u.numbers.Next()
	defer u.numbers.Done(m)
	sequence.Put(load, m)
	return u.l.request(ctx, load)
}

func (u *uplink) load(batch []bus.Event) (*wire.Map, error) {
	id := u.l.s.ID()
	events := make([]any, len(batch))
	for i, e := range batch {
		data, err := stamped(e)
		if err != nil {
			return nil, fmt.Errorf("%w: event %s: %w", errNotTaken, e.Tag, err)
		}
		events[i] = wire.NewMap("data", data, "tag", e.Tag)
	}
	return wire.NewMap("id", id, "cmd", "_minion_event", "pretag", "syndic/"+id, "events", events), nil
}

// stamped is the data of an event with Salt's _stamp at its end.
func stamped(e bus.Event) (wire.Raw, error) {
	b := make([]byte, 0, len(e.Data)+48)
	b = append(b, 0xdf, 0, 0, 0, 0) // map32: the shortest form is not demanded of a sender
	n := 0
	err := wire.Pairs(e.Data, func(key, val wire.Raw) error {
		n++
		b = append(append(b, key...), val...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	stamp, err := wire.Encode(wire.NewMap("_stamp", wire.StampText(e.Stamp)))
	if err != nil {
		return nil, err
	}
	b = append(b, stamp[1:]...)
	return head(b, n+1), nil
}

// head puts the shortest head of a map with n pairs in the place of the map32 head
// in front of b.
func head(b []byte, n int) wire.Raw {
	switch {
	case n < 16:
		b = b[4:]
		b[0] = 0x80 | byte(n)
	case n < 1<<16:
		b = b[2:]
		b[0], b[1], b[2] = 0xde, byte(n>>8), byte(n)
	default:
		b[1], b[2], b[3], b[4] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	}
	return b
}
