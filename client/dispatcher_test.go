package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// A hundred concurrent jobs share one connection, which is closed after the last one.
func TestManyJobsOnOneConnection(t *testing.T) {
	const jobs = 100
	m := startMaster(t)
	n := 0
	m.answer = func(*wire.Map) any { // m.mu is not held
		m.mu.Lock()
		defer m.mu.Unlock()
		n++
		return wire.NewMap("enc", "clear", "load", wire.NewMap("jid", fmt.Sprintf("%020d", n), "minions", []any{"a", "b"}, "missing", []any{}, "nodes", []any{}))
	}
	c := m.client()
	var all []*Following
	for range jobs {
		f, err := c.Follow(within(t), ping("*"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		all = append(all, f)
	}
	if n := m.server.Stats().Readers; n != 1 {
		t.Errorf("%d connections are open for %d jobs", n, jobs)
	}
	for _, id := range []string{"a", "b"} {
		for _, f := range all {
			m.fire(jobevent.TagReturn(f.JID, id), "jid", f.JID, "id", id, "return", f.JID, "fun", "test.ping")
		}
	}
	for _, f := range all {
		for _, id := range []string{"a", "b"} {
			u, err := f.Next(within(t))
			if err != nil || u.Return == nil || u.Return.ID != id {
				t.Fatalf("job %s: %+v, %v", f.JID, u, err)
			}
			if v, err := u.Return.Value.Decode(); err != nil || v != f.JID {
				t.Errorf("job %s receives the return %v, %v", f.JID, v, err)
			}
		}
		_ = f.Close()
	}
	waiting.Until(t, "the connection is closed", func() bool { return m.server.Stats().Readers == 0 })
}

// script returns a dispatcher without a bus; the test dispatches the events.
func script() *dispatcher {
	l := newDispatcher(func(context.Context) (*bus.Client, error) { return nil, errors.New("there is no bus") })
	l.open, l.ended = &bus.Client{}, make(chan struct{})
	return l
}

// Events that arrive before the job id is known are delivered after bind, up to the bound. One
// more event ends the subscriber with errTooSlow.
func TestEventsBeforeTheJobID(t *testing.T) {
	for _, others := range []int{0, 1, maxWaiting - 1, maxWaiting} {
		l := script()
		h, err := l.listen(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		l.dispatch("1", bus.Event{Tag: "mine"})
		for range others {
			l.dispatch("2", bus.Event{Tag: "another's"})
		}
		h.bind("1")
		e, err := h.Next(t.Context())
		if lost := others >= maxWaiting; lost && !errors.Is(err, errTooSlow) || !lost && (err != nil || e.Tag != "mine") {
			t.Errorf("after %d events of others: %+v, %v", others, e, err)
		}
		if len(l.kept) > 0 {
			t.Errorf("%d events are kept without a reader", len(l.kept))
		}
	}
}

// A subscriber that does not read ends at the bound of events or bytes; the others go on.
func TestSubscriberThatDoesNotRead(t *testing.T) {
	for name, size := range map[string]int{"events": 1, "bytes": maxWaitingBytes / 4} {
		t.Run(name, func(t *testing.T) {
			l := script()
			slow, quick := bound(t, l), bound(t, l)
			data := wire.Raw(strings.Repeat("x", size))
			n := 0
			for slow.failed() == nil {
				if n++; n > maxWaiting+1 {
					t.Fatal("there is no bound")
				}
				l.dispatch("1", bus.Event{Tag: "t", Data: data})
				if e, err := quick.Next(t.Context()); err != nil || e.Tag != "t" {
					t.Fatal(e, err)
				}
			}
			if _, err := slow.Next(t.Context()); !errors.Is(err, errTooSlow) || slow.bytes != 0 {
				t.Errorf("%v; %d bytes are held", err, slow.bytes)
			}
		})
	}
}

func bound(t *testing.T, l *dispatcher) *subscriber {
	h, err := l.listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.bind("1")
	return h
}

func (h *subscriber) failed() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// Events of jobs and runners have a job id; other events do not.
func TestJobOf(t *testing.T) {
	for tag, want := range map[string]string{
		"salt/job/20260301120000000000/ret/web-1": "20260301120000000000",
		"salt/job/20260301120000000000/new":       "20260301120000000000",
		"salt/run/20260301120000000001/ret":       "20260301120000000001",
		"salt/run/20260301120000000001/progress":  "20260301120000000001",
		"salt/auth":                               "", "minion/refresh/web-1": "", "salt/run/": "", "": "",
	} {
		if got := jobOf(tag); got != want {
			t.Errorf("%q is of job %q, want %q", tag, got, want)
		}
	}
}
