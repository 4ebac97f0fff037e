package peers

import (
	"context"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// Event is an event on the bus of a master.
type Event struct {
	Tag  string
	Data *wire.Map
	At   time.Time
}

// Recorder records the events of a master, across its restarts.
type Recorder struct {
	sockDir string
	cancel  context.CancelFunc
	done    chan struct{}

	mu     sync.Mutex
	events []Event
	open   bool
}

// Record records the bus of the master with that sock_dir until Close.
func Record(sockDir string) *Recorder {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Recorder{sockDir: sockDir, cancel: cancel, done: make(chan struct{})}
	go r.run(ctx)
	return r
}

func (r *Recorder) run(ctx context.Context) {
	defer close(r.done)
	for ctx.Err() == nil {
		c, err := bus.Dial(ctx, bus.ClientConfig{SockDir: r.sockDir})
		if err == nil {
			r.setOpen(true)
			r.read(ctx, c)
			r.setOpen(false)
			_ = c.Close() // broken, or closed
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (r *Recorder) read(ctx context.Context, c *bus.Client) {
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
		r.events = append(r.events, Event{e.Tag, data, time.Now()})
		r.mu.Unlock()
	}
}

func (r *Recorder) setOpen(open bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = open
}

// IsOpen reports whether the bus is connected now.
func (r *Recorder) IsOpen() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open
}

// Close stops the recording.
func (r *Recorder) Close() {
	r.cancel()
	<-r.done
}

// Mark returns the current position in the record, for a later Find.
func (r *Recorder) Mark() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events)
}

// Find returns the first event since a mark whose whole tag matches the expression.
func (r *Recorder) Find(since int, tag string) (Event, bool) {
	re := regexp.MustCompile("^(?:" + tag + ")$")
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events[since:] {
		if re.MatchString(e.Tag) {
			return e, true
		}
	}
	return Event{}, false
}

// Has reports whether there is an event with that tag since a mark.
func (r *Recorder) Has(since int, tag string) bool {
	_, ok := r.Find(since, regexp.QuoteMeta(tag))
	return ok
}

// Await waits for an event that Find would return, until the time is up or ctx ends.
func (r *Recorder) Await(ctx context.Context, within time.Duration, since int, tag string) (e Event, err error) {
	err = await(ctx, within, "event "+tag, func() (ok bool) {
		e, ok = r.Find(since, tag)
		return ok
	})
	return e, err
}

// Tags lists the tags since a mark.
func (r *Recorder) Tags(since int) []string {
	var out []string
	r.Each(since, func(e Event) { out = append(out, e.Tag) })
	return out
}

// Each calls f with the events since a mark.
func (r *Recorder) Each(since int, f func(Event)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events[since:] {
		f(e)
	}
}

// await waits until ok returns true. Its error names what was awaited.
func await(ctx context.Context, within time.Duration, what string, ok func() bool) error {
	done := false
	waiting.Became(within, func() bool {
		done = ok()
		return done || ctx.Err() != nil
	})
	if !done {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return fmt.Errorf("timed out after %v: %s", within, what)
	}
	return nil
}
