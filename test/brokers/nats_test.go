package brokers

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/nats"
	"github.com/momtree/mom/returners/returnertest"
)

// The stream drops what comes again within its window: it has each event once, in order.
func TestNATS(t *testing.T) {
	s := natsServer(t, t.TempDir(), -1)
	st := stream(t, s, jetstream.StreamConfig{})
	out := open(t, s.ClientURL())
	all := returnertest.Events(t, 10, 30)
	for range 2 {
		if err := out.SaveEvents(t.Context(), all); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	got := stored(t, st)
	if n := checkOrder(t, got, ids(all)); n != 0 || got[0].Master != "top" || got[0].Tag != "t" {
		t.Errorf("%d repeats; %+v", n, got[0])
	}
	if err := out.SaveReturns(t.Context(), []returners.Return{{JID: "1", ID: "m1", Full: all[0].Data}}); err != nil {
		t.Error(err)
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	if err := out.SaveEvents(t.Context(), all[:1]); !errors.Is(err, returners.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// A server dies after it has written events and before it acknowledges them. They come again, with
// the same ids.
func TestNATS_KilledBetweenWriteAndAck(t *testing.T) {
	s := natsServer(t, t.TempDir(), -1)
	st := stream(t, s, jetstream.StreamConfig{Duplicates: 100 * time.Millisecond}) // so that repeats are kept
	p := newProxy(t, s.Addr().String())
	out := open(t, p.addr())
	all := returnertest.Events(t, 40, 3)
	if err := out.SaveEvents(t.Context(), all[:40]); err != nil {
		t.Fatal(err)
	}
	p.set(false, true)
	err := out.SaveEvents(t.Context(), all[40:])
	if !errors.Is(err, returners.ErrUnavailable) {
		t.Fatal(err)
	}
	waiting.Until(t, "the events are written", func() bool {
		info, err := st.Info(t.Context())
		return err == nil && info.State.Msgs == 80
	})
	p.set(true, false)
	p.set(false, false)
	waiting.Until(t, "the window for repeats is over, and the events are sent", func() bool { return out.SaveEvents(t.Context(), all[40:]) == nil })
	if n := checkOrder(t, stored(t, st), ids(all)); n == 0 {
		t.Error("no repeats: the server was not killed in between")
	}
}

// A message that is too large, for the server or for the stream, is rejected alone.
func TestNATS_TooLarge(t *testing.T) {
	s := natsServer(t, t.TempDir(), -1, func(o *server.Options) { o.MaxPayload = 20_000 })
	st := stream(t, s, jetstream.StreamConfig{MaxMsgSize: 5000})
	out := open(t, s.ClientURL())
	var all []returners.Event
	for i := range 20 {
		size := map[int]int{5: 6000, 6: 30_000, 19: 6000}[i]
		all = append(all, returnertest.Event(t, "m1", i, "x", strings.Repeat("x", size)))
	}
	err := out.SaveEvents(t.Context(), all)
	var rows *returners.RowsError
	if !errors.As(err, &rows) || !errors.Is(err, returners.ErrRejected) || returners.Class(err) != "data" {
		t.Fatal(err)
	}
	for i, err := range rows.Rows {
		if large := i == 5 || i == 6 || i == 19; large != errors.Is(err, returners.ErrRejected) || !large && err != nil {
			t.Errorf("event %d: %v", i, err)
		}
	}
	checkOrder(t, stored(t, st), ids(all), all[5].Key, all[6].Key, all[19].Key)
}

// What an operator has to mend is named. A stream that is full refuses for now.
func TestNATS_Denied(t *testing.T) {
	s := natsServer(t, t.TempDir(), -1, func(o *server.Options) { o.Username, o.Password = "u", "p" })
	one := returnertest.Events(t, 1, 1)
	login := func(pass string) func(*nats.Options) {
		return func(o *nats.Options) { o.Username, o.Password = "u", pass }
	}
	if err := open(t, s.ClientURL(), login("p")).SaveEvents(t.Context(), one); returners.Class(err) != "access" || !strings.Contains(err.Error(), "a JetStream stream holds the subject") {
		t.Errorf("no stream: %v", err)
	}
	if err := open(t, s.ClientURL(), login("x")).SaveEvents(t.Context(), one); returners.Class(err) != "access" || !errors.Is(err, returners.ErrUnavailable) {
		t.Errorf("wrong password: %v", err)
	}
	s = natsServer(t, t.TempDir(), -1)
	st := stream(t, s, jetstream.StreamConfig{MaxMsgs: 2, Discard: jetstream.DiscardNew})
	err := open(t, s.ClientURL()).SaveEvents(t.Context(), returnertest.Events(t, 1, 5))
	if returners.Class(err) != "full" || !errors.Is(err, returners.ErrFull) {
		t.Errorf("full stream: %v", err)
	}
	if got := stored(t, st); len(got) != 2 || got[1].Data.N != 1 {
		t.Errorf("%+v", got)
	}
}

// Whatever fails on the way, and however often a batch comes again: without the repeats, events of a
// minion are in order.
func TestNATS_OrderUnderRetries(t *testing.T) {
	s := natsServer(t, t.TempDir(), -1)
	st := stream(t, s, jetstream.StreamConfig{Duplicates: 100 * time.Millisecond})
	p := newProxy(t, s.Addr().String())
	out := open(t, p.addr(), func(o *nats.Options) { o.Timeout = time.Second })
	all := returnertest.Events(t, 8, 60)
	rnd := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // not a secret
	failed := 0
	for at := 0; at < len(all); {
		part := all[at:min(at+40, len(all))]
		fault := make(chan struct{})
		cut := rnd.IntN(2) == 0 // otherwise acknowledgements are lost
		timer := time.AfterFunc(time.Duration(rnd.IntN(3000))*time.Microsecond, func() {
			defer close(fault)
			p.set(cut, !cut)
		})
		err := out.SaveEvents(t.Context(), part)
		if !timer.Stop() {
			<-fault
			p.set(true, false)
			p.set(false, false)
		}
		if err == nil {
			at += len(part)
			continue
		}
		if failed++; failed > 200 {
			t.Fatal(err)
		}
		waiting.Until(t, "it is connected again", func() bool { return out.Ping(t.Context()) == nil })
	}
	repeats := checkOrder(t, stored(t, st), ids(all))
	if failed == 0 {
		t.Error("nothing failed")
	}
	t.Logf("%d failed saves, %d repeats", failed, repeats)
}

// A server may come late, and a save ends in time without one.
func TestNATS_ServerComesLate(t *testing.T) {
	dir := t.TempDir()
	s := natsServer(t, dir, -1)
	st := stream(t, s, jetstream.StreamConfig{})
	addr := s.Addr().String()
	stop(s)
	out := open(t, addr)
	all := returnertest.Events(t, 3, 20)
	begin := time.Now()
	if err := out.SaveEvents(t.Context(), all); !errors.Is(err, returners.ErrUnavailable) || returners.Class(err) != "connection" {
		t.Fatal(err)
	}
	if d := time.Since(begin); d > 30*time.Second {
		t.Errorf("it took %v", d)
	}
	again := natsServer(t, dir, portOf(t, addr))
	st = stream(t, again, st.CachedInfo().Config)
	waiting.Until(t, "the events are taken", func() bool { return out.SaveEvents(t.Context(), all) == nil })
	if n := checkOrder(t, stored(t, st), ids(all)); n != 0 {
		t.Errorf("%d repeats", n)
	}
}
