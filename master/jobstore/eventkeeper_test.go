package jobstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// shelf records what it stores.
type shelf struct {
	batches [][]string
	keys    []string
	err     error
}

func (s *shelf) SaveEvents(_ context.Context, events []returners.Event) error {
	if s.err != nil {
		return s.err
	}
	var tags []string
	for _, e := range events {
		tags, s.keys = append(tags, e.Tag), append(s.keys, e.Key)
	}
	s.batches = append(s.batches, tags)
	return nil
}

func fire(t *testing.T, b *bus.Bus, tags ...string) {
	t.Helper()
	for _, tag := range tags {
		if err := b.Fire(tag, wire.NewMap()); err != nil {
			t.Fatal(err)
		}
	}
}

// A queue is stored when it is full, after its patience, and at the end.
func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bus.NewBus(bus.Options{})
		var s shelf
		k := ListenEvents(EventReturnOptions{Bus: b, Store: &s, MasterID: "top", Blacklist: []string{"no/*"}, Queue: 3, Patience: time.Minute, Log: quiet})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { k.Run(ctx); close(done) }()
		want := func(batches ...string) {
			t.Helper()
			synctest.Wait()
			var got []string
			for _, tags := range s.batches {
				got = append(got, strings.Join(tags, " "))
			}
			if !slices.Equal(got, batches) {
				t.Errorf("stored %q, want %q", got, batches)
			}
		}
		fire(t, b, "a", "no/x", "b")
		want()
		fire(t, b, "c", "d")
		synctest.Wait()
		if n := len(s.batches); n != 1 {
			t.Fatalf("%d batches when the queue is full", n)
		}
		stored := strings.Join(s.batches[0], " ")
		if stored != "a b c" && stored != "a b c d" { // d may have arrived in time
			t.Errorf("stored %q", stored)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if all := slices.Concat(s.batches...); !slices.Equal(all, []string{"a", "b", "c", "d"}) {
			t.Errorf("stored %v after a while", s.batches)
		}
		fire(t, b, "last")
		synctest.Wait()
		cancel()
		<-done
		all := slices.Concat(s.batches...)
		if all[len(all)-1] != "last" {
			t.Errorf("stored %v at the end", s.batches)
		}
		slices.Sort(s.keys)
		if n := len(slices.Compact(s.keys)); n != 5 || !strings.HasPrefix(s.keys[0], "top/") {
			t.Errorf("keys %v", s.keys)
		}
		b.Close()
	})
}

// If the bus is faster than the store, or the store fails, events are lost and logged, and nothing
// else happens.
func TestGoesOn(t *testing.T) {
	b := bus.NewBus(bus.Options{})
	defer b.Close()
	var s shelf
	lost := 0
	k := ListenEvents(EventReturnOptions{Bus: b, Store: &s, MasterID: "top", Lost: func(n int, _ error) { lost += n }, Log: quiet})
	k.sub.Close()
	k.sub = b.Subscribe(bus.SubscribeOptions{Size: 1})
	fire(t, b, "a", "b") // no room: the subscription ends
	if !k.sub.Lost() {
		t.Fatal("not cut off")
	}
	if open := k.gather(t.Context()); !open {
		t.Error("it ends with the subscription")
	}
	if len(s.keys) != 1 {
		t.Errorf("stored %v; want the one there was room for", s.batches)
	}
	k.sub.Close()
	s.err = errors.New("full")
	k.listen()
	fire(t, b, "c")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k.Run(ctx)
	if lost != 1 {
		t.Errorf("%d events reported as lost", lost)
	}
	s.err = nil
	k.listen()
	fire(t, b, "d")
	k.Run(ctx)
	if all := slices.Concat(s.batches...); !slices.Contains(all, "d") || slices.Contains(all, "c") {
		t.Errorf("stored %v", s.batches)
	}
}

// Attack: a minion fires large events faster than the database stores them. Waiting events are
// limited in bytes, and stored ones make room again.
func TestBytesThatWait(t *testing.T) {
	b := bus.NewBus(bus.Options{})
	defer b.Close()
	var s shelf
	k := ListenEvents(EventReturnOptions{Bus: b, Store: &s, MasterID: "top", Bytes: 100_000, Log: quiet})
	large := wire.NewMap("x", strings.Repeat("x", 40_000))
	for i := range 3 {
		if err := b.Fire(fmt.Sprint("evil", i), large); err != nil {
			t.Fatal(err)
		}
	}
	if !k.sub.Lost() {
		t.Fatal("three wait")
	}
	if !k.gather(t.Context()) {
		t.Error("it ends with the subscription")
	}
	k.sub.Close()
	k.listen()
	ctx, cancel := context.WithCancel(t.Context())
	done, sub := make(chan struct{}), k.sub
	go func() { k.Run(ctx); close(done) }()
	for i := range 5 {
		if err := b.Fire(fmt.Sprint("t", i), large); err != nil {
			t.Fatal(err)
		}
		waiting.Until(t, "the event is taken", func() bool { return len(sub.C()) == 0 })
	}
	cancel()
	<-done
	if n := len(s.keys); n < 5 {
		t.Errorf("%d are stored", n)
	}
}
