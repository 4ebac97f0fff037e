package jobstore

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// At a bound of the outbox nothing is accepted and nothing is lost. The log says so once, and once
// when there is room again.
func TestOutboxBounds(t *testing.T) {
	for _, c := range []struct {
		what        string
		rows, bytes int64
		fit         int
	}{
		{"rows", 3, 0, 3},
		{"bytes", 0, 7, 2}, // a return of the test has 4 bytes
		{"both", 10, 4, 1},
	} {
		t.Run(c.what, func(t *testing.T) {
			var log bytes.Buffer
			s := New(Options{
				Local: openLocal(t, "jobs.db"), Parent: "parent:above", MaxRows: c.rows, MaxBytes: c.bytes,
				Log: slog.New(slog.NewTextHandler(&log, nil)),
			})
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			ids := []string{"m1", "m2", "m3", "m4", "m5"}
			for i, id := range ids {
				_, err := s.SaveReturns(t.Context(), []returners.Return{ret(id)})
				if full := errors.Is(err, ErrOutboxFull); full != (i >= c.fit) || !full && err != nil {
					t.Fatalf("return %d: %v", i+1, err)
				}
			}
			_, err := saveJob(t, s, returners.Load{JID: job, Raw: wire.Raw{0x80}})
			if !errors.Is(err, ErrOutboxFull) || !strings.Contains(err.Error(), "outbox_max_rows") || !strings.Contains(err.Error(), "the master above") {
				t.Errorf("a job is answered with %v", err)
			}
			if n := strings.Count(log.String(), "outbox full, refusing"); n != 1 {
				t.Errorf("logged %d times:\n%s", n, log.String())
			}
			items, err := s.Outbox().OutboxRead(t.Context(), "parent:above", 0, 10, 0)
			if err != nil || len(items) != c.fit {
				t.Fatalf("%d rows in the outbox, %v; want %d", len(items), err, c.fit)
			}
			if err := s.Outbox().OutboxAck(t.Context(), "parent:above", []int64{items[0].Seq}); err != nil {
				t.Fatal(err)
			}
			if fresh, err := s.SaveReturns(t.Context(), []returners.Return{ret("m9")}); err != nil || !fresh[0] {
				t.Errorf("with room again: %v, %v", fresh, err)
			}
			if n := strings.Count(log.String(), "outbox has room"); n != 1 {
				t.Errorf("logged %d times:\n%s", n, log.String())
			}
		})
	}
}

// With job_cache off only the fact of a return is stored. The parent gets all of it, the database
// nothing. A job whose results were requested is stored.
func TestNoResults(t *testing.T) {
	s := newStore(t, Options{Parent: "parent:above", NoResults: true, OpenRemote: func(context.Context) (returners.Returner, error) {
		return nil, errors.New("not in this test")
	}})
	given := []returners.Return{ret("m1")}
	for i, want := range []bool{true, false} {
		if fresh, err := s.SaveReturns(t.Context(), given); err != nil || fresh[0] != want {
			t.Errorf("%d: %v, %v", i, fresh, err)
		}
	}
	if given[0].Full == nil {
		t.Error("the caller's return was changed")
	}
	rets, err := s.Local().GetReturns(t.Context(), job)
	if err != nil || len(rets) != 1 || rets[0].ID != "m1" || !rets[0].Success || len(rets[0].Full)+len(rets[0].Value) != 0 {
		t.Errorf("stored %+v, %v", rets, err)
	}
	items, err := s.Outbox().OutboxRead(t.Context(), "parent:above", 0, 10, 0)
	if err != nil || len(items) != 1 || !bytes.Equal(items[0].Payload, given[0].Full) {
		t.Errorf("outbox %+v, %v", items, err)
	}
	if rows, bytes := s.o.Local.OutboxSize("parent:above"); rows != 1 || bytes != int64(len(given[0].Full)) {
		t.Errorf("outbox has %d rows of %d bytes", rows, bytes)
	}
	if items, err := s.Outbox().OutboxRead(t.Context(), returners.DestMySQL, 0, 10, 0); err != nil || len(items) != 0 {
		t.Errorf("outbox for the database has %+v, %v", items, err)
	}
	const question = "20240102030405678902"
	release := s.KeepResults(question)
	for i, id := range []string{"m1", "m2"} {
		r := ret(id)
		r.JID = question
		if _, err := s.SaveReturns(t.Context(), []returners.Return{r}); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			release()
		}
	}
	rets, err = s.Local().GetReturns(t.Context(), question)
	if err != nil || len(rets) != 2 || len(rets[0].Full) == 0 || len(rets[1].Full) != 0 {
		t.Errorf("stored %+v, %v", rets, err)
	}
}

// With event_return only, the database gets events and no queries for jobs.
func TestSaveEvents_Only(t *testing.T) {
	got := make(chan []returners.Event, 10)
	remote := keeper{openLocal(t, "remote.db"), got}
	s := newStore(t, Options{MaxRows: 2, Events: []EventStore{{Name: mysqlName, Open: func(context.Context) (returners.EventSaver, error) { return remote, nil }}}})
	events := []returners.Event{{Key: "a/1", Tag: "one", Data: wire.Raw{0x80}}, {Key: "a/2", Tag: "two", Data: wire.Raw{0x80}}}
	if err := s.SaveEvents(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveEvents(t.Context(), events[:1]); !errors.Is(err, ErrOutboxFull) {
		t.Errorf("at the bound: %v", err)
	}
	if _, err := s.SaveReturns(t.Context(), []returners.Return{ret("m1")}); err != nil {
		t.Errorf("events keep returns out: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	if es := <-got; len(es) != 2 || es[0].Tag != "one" || es[1].Key != "a/2" {
		t.Errorf("the database got %+v", es)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if s.Reader(t.Context()) != s.Local() {
		t.Error("jobs are read from a database of events")
	}
}

// keeper records the events passed to a returner.
type keeper struct {
	returners.Returner
	got chan []returners.Event
}

func (k keeper) SaveEvents(ctx context.Context, es []returners.Event) error {
	k.got <- es
	return k.Returner.SaveEvents(ctx, es)
}
