package jobstore

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// Each returner of event_return gets the events, the job cache by its own connection, and one
// that cannot be opened keeps none from the others.
func TestEventsOfSeveralReturners(t *testing.T) {
	cached, other := make(chan []returners.Event, 10), make(chan []returners.Event, 10)
	cache, aside := openLocal(t, "cache.db"), openLocal(t, "aside.db")
	var open atomic.Bool
	s := newStore(t, Options{
		OpenRemote: func(context.Context) (returners.Returner, error) { return keeper{cache, cached}, nil }, RemoteName: "cache",
		Events: []EventStore{
			{"cache", func(context.Context) (returners.EventSaver, error) { panic("opened twice") }},
			{"aside", func(context.Context) (returners.EventSaver, error) {
				if !open.Load() {
					return nil, errors.New("not yet")
				}
				return keeper{aside, other}, nil
			}},
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	if err := s.SaveEvents(t.Context(), []returners.Event{{Key: "a/1", Tag: "one", Data: wire.Raw{0x80}}}); err != nil {
		t.Fatal(err)
	}
	if es := <-cached; len(es) != 1 || es[0].Tag != "one" {
		t.Errorf("the job cache got %+v", es)
	}
	var st Stats
	waiting.Until(t, "the statistics say who is away", func() bool {
		var err error
		st, err = s.Stats(t.Context())
		return err == nil && st.Writers[1].OpenErr != nil
	})
	if len(st.Writers) != 2 || st.Database == nil || st.Writers[1].Drain != nil || st.Writers[1].Name != "aside" {
		t.Errorf("%+v", st)
	}
	backlog := map[string]int64{}
	for _, b := range st.Backlog {
		backlog[b.Dest] = b.Rows
	}
	if backlog["events:aside"] != 1 {
		t.Errorf("backlog %v", backlog)
	}
	open.Store(true)
	if es := <-other; len(es) != 1 || es[0].Key != "a/1" {
		t.Errorf("the other returner got %+v", es)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A returner whose outbox is full loses its events alone.
func TestFullOutboxOfOneReturner(t *testing.T) {
	away := func(context.Context) (returners.EventSaver, error) { return nil, errors.New("away") }
	now := time.Now()
	s := newStore(t, Options{MaxRows: 2, RemoteName: "redis", Events: []EventStore{{mysqlName, away}, {"b", away}}, Now: func() time.Time { return now }})
	event := []returners.Event{{Key: "a/1", Tag: "one", Data: wire.Raw{0x80}}}
	for range 2 {
		if _, err := s.Save(t.Context(), returners.Batch{Outbox: []returners.Item{{Dest: "events:b", Kind: returners.KindEvent, Payload: []byte{1}}}}); err != nil {
			t.Fatal(err)
		}
	}
	err := s.SaveEvents(t.Context(), event)
	if !errors.Is(err, ErrOutboxFull) || !strings.Contains(err.Error(), "the returner b") {
		t.Errorf("%v", err)
	}
	for dest, want := range map[string]int64{returners.DestMySQL: 1, "events:b": 2} { // mysql: where earlier versions left rows
		if n, _ := s.o.Local.OutboxSize(dest); n != want {
			t.Errorf("%s has %d rows, want %d", dest, n, want)
		}
	}
	s.LoseEvents(2, err)
	s.LoseEvents(1, errors.New("last"))
	if l := s.LostEvents(); l.N != 3 || l.Why != "last" {
		t.Errorf("%+v", l)
	}
	if now = now.Add(lostFor + 1); s.LostEvents().N != 0 {
		t.Error("old losses are reported")
	}
	if s.LoseEvents(1, err); s.LostEvents().N != 1 {
		t.Error("old losses are counted")
	}
}
