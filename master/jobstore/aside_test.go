package jobstore

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// picky is a returner of events that refuses all of them.
type picky struct{}

func (picky) Name() string               { return "picky" }
func (picky) Ping(context.Context) error { return nil }
func (picky) Close() error               { return nil }

func (picky) SaveEvents(_ context.Context, es []returners.Event) error {
	outcome := make([]error, len(es))
	for i := range es {
		outcome[i] = fmt.Errorf("no: %w", returners.ErrRejected)
	}
	return returners.RowsResult(outcome)
}

// Attack: a minion fires events that a broker refuses. What is set aside is bounded, and dropped when
// it is old.
func TestAsideIsBounded(t *testing.T) {
	small := bounds.Default()
	small.AsideRows = 5
	s := newStore(t, Options{
		Keep: time.Hour, Bounds: small, Events: []EventStore{{Name: "picky", Open: func(context.Context) (returners.EventSaver, error) { return picky{}, nil }}},
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	dest := returners.DestEventsPrefix + "picky"
	fired := 0
	save := func(n int, size int) {
		t.Helper()
		var es []returners.Event
		for range n {
			fired++
			es = append(es, returners.Event{Key: fmt.Sprint(fired), Tag: "t", Data: append(wire.Raw{0xc4, byte(size)}, make([]byte, size)...)})
		}
		if err := s.SaveEvents(t.Context(), es); err != nil {
			t.Fatal(err)
		}
		waiting.Until(t, "all are set aside, and the oldest dropped", func() bool {
			rows, _ := s.o.Local.OutboxSize(dest)
			aside, _ := s.o.Local.OutboxSize(returners.Rejected(dest))
			return rows == 0 && aside == 5
		})
	}
	for range 3 {
		save(7, 10)
	}
	first, err := s.o.Local.OutboxRead(t.Context(), returners.Rejected(dest), 0, 1, 0)
	if err != nil || len(first) != 1 {
		t.Fatal(first, err)
	}
	if e, err := returners.DecodeEvent(first[0].Payload); err != nil || e.Key != "17" {
		t.Errorf("the oldest is %s, %v; want 17", e.Key, err)
	}
	if err := s.forgetAside(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Error(err)
	}
	if rows, _ := s.o.Local.OutboxSize(returners.Rejected(dest)); rows != 5 {
		t.Errorf("%d of the young ones are left", rows)
	}
	if err := s.forgetAside(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Error(err)
	}
	if rows, _ := s.o.Local.OutboxSize(returners.Rejected(dest)); rows != 0 {
		t.Errorf("%d old ones are left", rows)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// The start drops events, also rejected ones, of a returner that event_return does not name. Others stay.
func TestDropUnknownEvents(t *testing.T) {
	local := openLocal(t, "jobs.db")
	away := func(context.Context) (returners.EventSaver, error) { return nil, errors.New("away") }
	old := New(Options{Local: local, Log: quiet, Events: []EventStore{{Name: "kafka", Open: away}, {Name: "nats", Open: away}}})
	if err := old.SaveEvents(t.Context(), []returners.Event{{Key: "1", Tag: "t"}, {Key: "2", Tag: "t"}}); err != nil {
		t.Fatal(err)
	}
	items, err := local.OutboxRead(t.Context(), "events:kafka", 0, 1, 0)
	if err != nil || len(items) != 1 {
		t.Fatal(items, err)
	}
	if err := local.OutboxReject(t.Context(), "events:kafka", items[0].Seq, "no"); err != nil {
		t.Fatal(err)
	}
	if err := old.group.Close(); err != nil {
		t.Fatal(err)
	}
	s := newStore(t, Options{Local: local, Events: []EventStore{{Name: "nats", Open: away}}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	waiting.Until(t, "the events for kafka are dropped", func() bool {
		dests := local.OutboxDests()
		return dests["events:kafka"] == 0 && dests["rejected:events:kafka"] == 0
	})
	if n := local.OutboxDests()["events:nats"]; n != 2 {
		t.Errorf("%d events wait for nats", n)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
