package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
)

// Following is a job whose events are listened to.
//
// What is not read waits here, up to 4096 events with 16 MiB. Who reads too slowly has the
// rest from the master's job cache: no return is lost, none comes twice, and no more than
// a page of them is held. All jobs of a client are heard on one connection.
type Following struct {
	Published
	// Enough reports whether the caller needs only the number of missing minions of an account
	// that does not name all. Otherwise their names are fetched from the master. Default nil:
	// they are fetched.
	Enough func(a *Account) bool

	from  Updates // what tells of the job in place of a master's bus; nil: the bus does
	c     *Client
	seen  map[string]bool
	sweep *sweep // through the job cache, after the bus was lost; nil: none is under way

	mu     sync.Mutex // guards ear and closed
	ear    *ear
	closed bool
}

// Updates is where news of a job comes from. Next and Close are as those of a [Following].
type Updates interface {
	Next(ctx context.Context) (Update, error)
	Close() error
}

// FollowingOf is a job that was published by other ways than a [Client], and whose news
// comes from there.
func FollowingOf(p Published, from Updates) *Following { return &Following{Published: p, from: from} }

// Follow publishes a job and listens to it. Nothing is lost: the bus is open
// before the job is sent. The caller closes the Following; with an error, which is one
// of [Client.Publish] or [ErrNotTold], it holds what is known of the publication.
func (c *Client) Follow(ctx context.Context, j Job) (*Following, error) {
	if err := c.expand(&j); err != nil {
		return &Following{}, err
	}
	b, err := c.hears.listen(ctx)
	if err != nil {
		return &Following{}, err
	}
	p, err := c.Publish(ctx, j)
	if err != nil {
		_ = b.Close() // the publication's error says more
		return &Following{Published: p}, err
	}
	if !p.Tells {
		_ = b.Close() // the job goes on without us
		return &Following{Published: p}, fmt.Errorf("%w: job %s was started but cannot be followed", ErrNotTold, p.JID)
	}
	b.bind(p.JID)
	return &Following{Published: p, c: c, ear: b, seen: map[string]bool{}}, nil
}

// FollowJob listens to a job that was published before, by whomever: it gives the returns
// that are stored and then what comes, until the end of the job. The master has to be one
// of ours, keep results (job_cache), and still have the account of the job; else the error
// is a [*Refused] or [ErrNotTold]. Of the publication only the job id is known.
func (c *Client) FollowJob(ctx context.Context, jid string) (*Following, error) {
	f := &Following{Published: Published{JID: jid, Tells: true}, c: c, seen: map[string]bool{}}
	if err := f.resume(ctx); err != nil {
		return f, errors.Join(fmt.Errorf("follow job %s: %w", jid, err), f.Close())
	}
	return f, nil
}

// Close ends the listening; the job goes on. A Next that waits returns [ErrClosed].
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
	if f.ear == nil {
		return nil
	}
	return f.ear.Close()
}

// listen puts a new ear in the place of the one that was lost.
func (f *Following) listen(b *ear) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ear != nil {
		_ = f.ear.Close() // it is broken
	}
	f.ear = b
	if f.closed {
		return errors.Join(ErrClosed, b.Close())
	}
	return nil
}

// listened gives the ear that listens now.
func (f *Following) listened() (*ear, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.ear == nil {
		return nil, ErrClosed
	}
	return f.ear, nil
}

// Next waits for the next update; the one with Complete is the last. After [ErrBusLost],
// when the bus is gone for good, and [ErrClosed] nothing more comes; after any other
// error, such as an event of the job that cannot be read or the end of ctx, Next may be
// called again. It is not for several goroutines at once.
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

// Updates gives what Next does, up to and with the end of the job, or an error that Next
// cannot go on after, or that of ctx. Events that cannot be read are errors in between.
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

// read makes an update of an event of the job; false if there is nothing in it for the
// reader.
func (f *Following) read(kind jobevent.Kind, tag string, data wire.Raw) (Update, bool, error) {
	u, ok, err := readUpdate(f.JID, kind, tag, data)
	if ok && u.Return != nil {
		ok = !f.seen[u.Return.ID]
		f.seen[u.Return.ID] = true
	}
	return u, ok, err
}
