package channel

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/momtree/mom/internal/wire"
)

// SeqField is the field that mom adds to a publication: a list of the epoch and the number
// under which the master keeps it. Numbers within an epoch have no gaps.
const SeqField = "mom_seq"

// Tail records how far a peer has received its master's publications. It is safe for concurrent
// use; the zero value has received nothing.
type Tail struct {
	// Filtered reports that this peer does not get all publications, so a gap between two
	// numbers means nothing. The master may set it too.
	Filtered bool
	// Refused is called for fetched publications whose signature is missing or wrong, with the
	// reason; they are not delivered. If nil, they are fetched again and again.
	Refused func(p wire.Publication, why error)

	mu    sync.Mutex
	epoch string
	seq   int64
	open  bool // subscribed, and the master has reported what was missed earlier
}

// Note records a received publication. gap reports that earlier ones are missing; fetch them
// with [Channel.CatchUp].
func (t *Tail) Note(p wire.Publication) (gap bool) {
	epoch, seq, ok := numberOf(p)
	if !ok {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !t.open: // the reply to the next announcement reports what was missed
		return false
	case epoch != t.epoch:
		return true
	case seq <= t.seq: // published again
		return false
	case seq > t.seq+1 && !t.Filtered:
		return true
	}
	t.seq = seq
	return false
}

// Lost records that the subscription has ended: gaps before the next publications would not
// show.
func (t *Tail) Lost() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = false
}

// set moves the tail to the position that the master reports as delivered.
func (t *Tail) set(epoch string, head int64, open bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if epoch != t.epoch || head > t.seq {
		t.epoch, t.seq = epoch, head
	}
	t.open = t.open || open
}

// heard returns the tail for a request.
func (t *Tail) heard() []any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return []any{t.epoch, t.seq}
}

// Answer reads the reply to an announcement that contained the tail. missed reports whether
// there is something to fetch with [Channel.CatchUp].
func (t *Tail) Answer(reply *wire.Map) (missed bool) {
	epoch := reply.String("epoch")
	if epoch == "" {
		return false // the master keeps nothing
	}
	if reply.Bool("filtered") {
		t.mu.Lock()
		t.Filtered = true
		t.mu.Unlock()
	}
	if reply.Int("missed") > 0 {
		return true
	}
	seen, known := reply.Get("session")
	t.set(epoch, reply.Int("head"), !known || seen != false)
	return false
}

// numberOf reads the epoch and the number of a publication.
func numberOf(p wire.Publication) (epoch string, seq int64, ok bool) {
	if p.Extra == nil {
		return "", 0, false
	}
	v, _ := p.Extra.Get(SeqField)
	if raw, is := v.(wire.Raw); is {
		var err error
		if v, err = wire.Decode(raw); err != nil {
			return "", 0, false
		}
	}
	return ReadHeard(v)
}

// ReadHeard reads a list of an epoch and a number.
func ReadHeard(v any) (epoch string, seq int64, ok bool) {
	l, _ := v.([]any)
	if len(l) != 2 {
		return "", 0, false
	}
	epoch, isText := l[0].(string)
	m := wire.NewMap("n", l[1])
	if !isText || len(epoch) > 64 {
		return "", 0, false
	}
	return epoch, m.Int("n"), true
}

// maxMissedPages bounds one CatchUp; the next one fetches the rest.
const maxMissedPages = 1000

// CatchUp fetches the publications that this identity missed after its tail and passes them to
// deliver in the master's order. running are the jobs whose return is pending; they are not
// sent again. From a master that does not know the command, it fetches nothing.
func (c *Channel) CatchUp(ctx context.Context, t *Tail, running []string, deliver func(wire.Publication)) error {
	if running == nil {
		running = []string{}
	}
	for range maxMissedPages {
		raw, err := c.Request(ctx, wire.NewMap("cmd", "_missed", "id", c.cfg.ID, "role", c.cfg.Role, "heard", t.heard(), "running", running))
		if err != nil {
			return err
		}
		page, err := parseMissed(raw)
		if err != nil {
			return c.fail("fetch missed publications", ErrBadReply, err.Error(), "")
		}
		if page.epoch == "" {
			return nil
		}
		var errs []error
		for _, body := range page.bodies {
			_, p, err := c.openPublication(ctx, body)
			if err != nil && p.JID != "" && t.Refused != nil {
				t.Refused(p, err) // fetching it again would not help
				continue
			}
			if err != nil {
				errs = append(errs, err)
				continue
			}
			deliver(p)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := errors.Join(errs...); err != nil {
			return err // the same page is fetched again; duplicates are found by their jid
		}
		t.set(page.epoch, page.head, !page.more)
		if !page.more {
			return nil
		}
	}
	return nil
}

// missedPage is one reply to `_missed`.
type missedPage struct {
	epoch  string
	head   int64 // all publications up to it are delivered
	more   bool
	bodies [][]byte // envelopes of publications
}

func parseMissed(raw wire.Raw) (missedPage, error) {
	d, err := wire.DecodeMap(raw)
	if err != nil {
		return missedPage{}, err
	}
	p := missedPage{epoch: d.String("epoch"), head: d.Int("head"), more: d.Bool("more")}
	for i, v := range d.List("pubs") {
		switch b := v.(type) {
		case []byte:
			p.bodies = append(p.bodies, b)
		case string: // bytes that are valid UTF-8, or how the sender encodes bytes
			p.bodies = append(p.bodies, []byte(b))
		default:
			return missedPage{}, fmt.Errorf("publication %d is a %T", i, v)
		}
	}
	if p.more && len(p.bodies) == 0 {
		return missedPage{}, errors.New("there is more, but nothing was given")
	}
	return p, nil
}
