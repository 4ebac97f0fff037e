package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSubscribe(t *testing.T) {
	m := startMaster(t)
	c := m.client()
	before := time.Now()
	s, err := c.Subscribe(within(t), "salt/job/", "my/")
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.Subscribe(within(t))
	if err != nil {
		t.Fatal(err)
	}
	m.fire("salt/job/1/new", "n", 1)
	m.fire("other", "n", 2)
	if err := c.Fire(within(t), "my/own", map[string]any{"n": 3}); err != nil {
		t.Fatal(err)
	}
	tags := func(s *Subscription, n int) (tags []string) {
		for e, err := range s.All(within(t)) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Time.Before(before.Add(-time.Minute)) || e.Time.After(time.Now().Add(time.Minute)) || strings.Contains(e.Data.String(), "_stamp") {
				t.Errorf("%+v", e)
			}
			if tags = append(tags, e.Tag); len(tags) == n {
				break
			}
		}
		return tags
	}
	if got := tags(s, 2); !slices.Equal(got, []string{"salt/job/1/new", "my/own"}) {
		t.Errorf("got %v", got)
	}
	if got := tags(all, 3); !slices.Equal(got, []string{"salt/job/1/new", "other", "my/own"}) {
		t.Errorf("of all %v", got)
	}
	ctx, cancel := context.WithCancel(within(t))
	cancel()
	if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	waits := make(chan error, 1)
	go func() {
		_, err := s.Next(context.Background())
		waits <- err
	}()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-waits; !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
	_ = m.server.Close()
	for _, err := range all.All(within(t)) {
		if !errors.Is(err, ErrBusLost) {
			t.Errorf("%v", err)
		}
	}
	if err := all.Close(); err != nil {
		t.Error(err)
	}
	if err := c.Fire(within(t), "my/own", map[string]any{}); !errors.Is(err, ErrUnreachable) {
		t.Errorf("%v", err)
	}
}

// The buffer of a subscription is bounded by count and bytes, but one event always fits.
// Buffered events are returned before the error.
func TestSubscriptionIsBounded(t *testing.T) {
	fresh := func() *Subscription { return &Subscription{more: make(chan struct{}, 1), room: make(chan struct{}, 1)} }
	fill := func(s *Subscription, e Event) (n int) {
		for s.put(e) {
			n++
		}
		return n
	}
	s := fresh()
	if n := fill(s, Event{Tag: "t"}); n != maxWaiting {
		t.Errorf("%d events wait", n)
	}
	s.end(ErrBusLost)
	for range maxWaiting {
		if _, err := s.Next(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Next(within(t)); !errors.Is(err, ErrBusLost) {
		t.Errorf("%v", err)
	}
	for size, want := range map[int]int{maxWaitingBytes / 4: 3, 2 * maxWaitingBytes: 1} {
		s := fresh()
		e := Event{Tag: "t", Data: make(Raw, size)}
		if n := fill(s, e); n != want {
			t.Errorf("%d events of %d bytes wait", n, size)
		}
		if _, err := s.Next(within(t)); err != nil || !s.put(e) {
			t.Errorf("what was taken makes no room: %v", err)
		}
		s.end(ErrClosed)
		if _, err := s.Next(within(t)); !errors.Is(err, ErrClosed) {
			t.Errorf("%v", err)
		}
	}
}

// The master disconnects a slow reader. The reader gets the buffered events without a gap, then
// the error.
func TestSlowSubscriber(t *testing.T) {
	m := startMaster(t)
	s, err := m.client().Subscribe(within(t), "n/")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	text := strings.Repeat("x", 100)
	m.fire("n/0", "text", text)
	if _, err := s.Next(within(t)); err != nil {
		t.Fatal(err)
	}
	const fired = 50000
	for i := 1; i < fired; i++ {
		m.fire(fmt.Sprintf("n/%d", i), "text", text)
	}
	n := 1
	for e, err := range s.All(within(t)) {
		if err != nil {
			if !errors.Is(err, ErrBusLost) {
				t.Error(err)
			}
			break
		}
		if e.Tag != fmt.Sprintf("n/%d", n) {
			t.Fatalf("event %s in the place of %d", e.Tag, n)
		}
		n++
	}
	if n == fired {
		t.Error("nobody was cut off")
	}
}
