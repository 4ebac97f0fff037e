//go:build saltpeer

package interop

import (
	"context"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// seen is an event of a master's bus.
type seen struct {
	tag  string
	data *wire.Map
	at   time.Time
}

// recorder keeps the events of a master, over its restarts.
type recorder struct {
	sockDir string
	cancel  context.CancelFunc
	done    chan struct{}

	mu     sync.Mutex
	events []seen
	open   bool
}

func record(sockDir string) *recorder {
	ctx, cancel := context.WithCancel(context.Background())
	r := &recorder{sockDir: sockDir, cancel: cancel, done: make(chan struct{})}
	go r.run(ctx)
	return r
}

func (r *recorder) run(ctx context.Context) {
	defer close(r.done)
	for ctx.Err() == nil {
		c, err := bus.Dial(ctx, bus.ClientConfig{SockDir: r.sockDir})
		if err == nil {
			r.setOpen(true)
			r.read(ctx, c)
			r.setOpen(false)
			_ = c.Close() // it broke, or the test is over
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (r *recorder) read(ctx context.Context, c *bus.Client) {
	for {
		e, err := c.Next(ctx)
		if err != nil {
			return
		}
		data, err := wire.DecodeMap(e.Data)
		if err != nil {
			data = wire.NewMap("undecodable", err.Error())
		}
		r.mu.Lock()
		r.events = append(r.events, seen{e.Tag, data, time.Now()})
		r.mu.Unlock()
	}
}

func (r *recorder) setOpen(open bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = open
}

func (r *recorder) isOpen() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open
}

func (r *recorder) close() {
	r.cancel()
	<-r.done
}

// mark is the place in the record from which a later find looks.
func (r *recorder) mark() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events)
}

// find gives the first event since mark whose whole tag matches.
func (r *recorder) find(since int, tag string) (seen, bool) {
	re := regexp.MustCompile("^(?:" + tag + ")$")
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events[since:] {
		if re.MatchString(e.tag) {
			return e, true
		}
	}
	return seen{}, false
}

// await waits for an event.
func (r *recorder) await(t *testing.T, within time.Duration, since int, tag string) seen {
	t.Helper()
	var e seen
	waiting.Within(t, within, "event "+tag, func() (ok bool) {
		e, ok = r.find(since, tag)
		return ok
	})
	return e
}

// tags lists what came since mark.
func (r *recorder) tags(since int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, e := range r.events[since:] {
		out = append(out, e.tag)
	}
	return out
}

// each shows the events since mark to f.
func (r *recorder) each(since int, f func(seen)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events[since:] {
		f(e)
	}
}
