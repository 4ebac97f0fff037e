package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
)

// Following is a published job whose events are followed.
//
// It buffers up to 16,384 events with 16 MiB. A slower reader gets the rest from the master's
// job cache, a page at a time: no return is lost or repeated. All followed jobs of a client
// share one connection to the bus.
type Following struct {
	Published
	// Enough reports whether the number of missing minions is enough for an account that
	// does not name them all. Otherwise their names are fetched from the master. Default nil:
	// they are fetched.
	Enough func(a *Account) bool

	from  Updates // source of updates; nil: the master's bus
	c     *Client
	seen  map[string]bool
	sweep *sweep // read of the job cache after the bus was lost; nil if not running

	mu         sync.Mutex // guards subscriber and closed
	subscriber *subscriber
	closed     bool
}

// Updates is a source of updates of a job. Next and Close are those of a [Following].
type Updates interface {
	Next(ctx context.Context) (Update, error)
	Close() error
}

// FollowingOf returns a Following for a job that was not published by a [Client] and whose
// updates come from another source.
func FollowingOf(p Published, from Updates) *Following { return &Following{Published: p, from: from} }

// Follow publishes a job and follows it. It opens the bus before it publishes, so no event is
// missed. It returns the errors of [Client.Publish]; the Following then holds what is known of the
// publication. The caller closes the Following.
//
// A Python master does not report the end of jobs (see [Published.ReportsEnd]). There the client
// decides by Salt's rules: when Job.Timeout has passed, it asks the minions that have not returned
// whether they run the job, and waits gather_job_timeout for their answers, until none runs it any
// more. Account.Judged is set then.
func (c *Client) Follow(ctx context.Context, j Job) (*Following, error) {
	if err := c.expand(&j); err != nil {
		return &Following{}, err
	}
	b, err := c.dispatcher.listen(ctx)
	if err != nil {
		return &Following{}, err
	}
	p, err := c.Publish(ctx, j)
	if err != nil {
		_ = b.Close() // the publication's error matters more
		return &Following{Published: p}, err
	}
	b.bind(p.JID)
	if !p.ReportsEnd {
		roll := newAttendance(p, c.named(j), c.waits(&j), time.Now())
		return &Following{Published: p, from: followUnreported(ctx, c, c.o.Log, p.JID, b, roll)}, nil
	}
	return &Following{Published: p, c: c, subscriber: b, seen: map[string]bool{}}, nil
}

// FollowJob follows a job that was already published, by any client: it returns the stored
// returns, then later updates, until the end of the job. It needs a mom master that keeps
// results (job_cache) and still has the account of the job; otherwise the error is a
// [*Refused] or [ErrNotReported]. Of Published only JID and ReportsEnd are set.
func (c *Client) FollowJob(ctx context.Context, jid string) (*Following, error) {
	f := &Following{Published: Published{JID: jid, ReportsEnd: true}, c: c, seen: map[string]bool{}}
	if err := f.resume(ctx); err != nil {
		return f, errors.Join(fmt.Errorf("follow job %s: %w", jid, err), f.Close())
	}
	return f, nil
}

// Close stops following; the job continues. A blocked Next returns [ErrClosed].
func (f *Following) Close() error {
	if f == nil {
		return nil
	}
	if f.from != nil {
		return f.from.Close()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.subscriber == nil {
		return nil
	}
	return f.subscriber.Close()
}

// listen replaces the subscriber after the bus was lost.
func (f *Following) listen(b *subscriber) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subscriber != nil {
		_ = f.subscriber.Close() // it is broken
	}
	f.subscriber = b
	if f.closed {
		return errors.Join(ErrClosed, b.Close())
	}
	return nil
}

// listened returns the current subscriber.
func (f *Following) listened() (*subscriber, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.subscriber == nil {
		return nil, ErrClosed
	}
	return f.subscriber, nil
}

// Next blocks until the next update; the one with Complete is the last. [ErrBusLost] (the bus
// is gone for good) and [ErrClosed] are final. After any other error, such as an unreadable
// event or the end of ctx, Next may be called again. Next is not safe for concurrent use.
func (f *Following) Next(ctx context.Context) (Update, error) {
	if f.from != nil {
		return f.from.Next(ctx)
	}
	for {
		if f.sweep != nil {
			u, ok, err := f.missed(ctx)
			if err != nil || ok {
				return u, err
			}
		}
		b, err := f.listened()
		if err != nil {
			return Update{}, err
		}
		e, err := b.Next(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return Update{}, ctx.Err()
			}
			if _, err := f.listened(); err != nil {
				return Update{}, err
			}
			again := f.resume(ctx)
			if errors.Is(again, ErrClosed) {
				return Update{}, ErrClosed
			}
			if again != nil {
				return Update{}, fmt.Errorf("%w: %w; the job goes on, see: salt-run jobs.lookup_jid %s", ErrBusLost, errors.Join(err, again), f.JID)
			}
			continue
		}
		jid, kind, _, ok := jobevent.Parse(e.Tag)
		if !ok || jid != f.JID {
			continue
		}
		f.c.o.Log.Debug("event", "tag", e.Tag)
		u, ok, err := f.read(kind, e.Tag, e.Data)
		if err != nil {
			return Update{}, fmt.Errorf("event %s: %w", e.Tag, err)
		}
		if ok {
			if u.Complete != nil {
				f.fill(ctx, u.Complete)
			}
			return u, nil
		}
	}
}

// Updates iterates over the results of Next up to the end of the job, a final error, or the end
// of ctx. Errors for unreadable events do not end the sequence.
func (f *Following) Updates(ctx context.Context) iter.Seq2[Update, error] {
	return func(yield func(Update, error) bool) {
		for {
			u, err := f.Next(ctx)
			last := u.Complete != nil || ctx.Err() != nil || errors.Is(err, ErrBusLost) || errors.Is(err, ErrClosed)
			if !yield(u, err) || last {
				return
			}
		}
	}
}

// read converts an event of the job to an update; it returns false if the event is not an
// update or repeats a return.
func (f *Following) read(kind jobevent.Kind, tag string, data wire.Raw) (Update, bool, error) {
	u, ok, err := readUpdate(f.JID, kind, tag, data)
	if ok && u.Return != nil {
		ok = !f.seen[u.Return.ID]
		f.seen[u.Return.ID] = true
	}
	return u, ok, err
}
