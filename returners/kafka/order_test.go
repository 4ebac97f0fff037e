package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
	"github.com/momtree/mom/returners/sqlite"
)

// wires are connections to a broker that can be cut.
type wires struct {
	producing sync.Mutex // held after a produce request has been written; other requests and new connections go on
	mu        sync.Mutex
	armed     func() // called once, when a produce request has been written; then all is cut
	cut       bool
	conns     []net.Conn
}

// conn is one of them.
type conn struct {
	net.Conn
	w *wires
}

func (w *wires) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		return nil, errors.New("the broker is away")
	}
	c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	w.conns = append(w.conns, c)
	return &conn{c, w}, nil
}

// Write kills the broker after a produce request, for which the client then gets no answer.
func (c *conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	const keyAt = 4 // behind the length
	if len(b) <= keyAt+2 || binary.BigEndian.Uint16(b[keyAt:]) != uint16(kmsg.Produce) {
		return n, err
	}
	c.w.producing.Lock()
	defer c.w.producing.Unlock()
	armed := c.w.disarm()
	if armed == nil {
		return n, err
	}
	armed()
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.w.cut = true
	for _, other := range c.w.conns {
		other.Close()
	}
	c.w.conns = nil
	return n, io.ErrClosedPipe
}

// disarm returns what is to be called, or nil; it is called once.
func (w *wires) disarm() func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	armed := w.armed
	w.armed = nil
	return armed
}

// set waits for a kill that is under way.
func (w *wires) set(armed func(), cut bool) {
	w.producing.Lock()
	defer w.producing.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed, w.cut = armed, cut
}

// records returns how many records the topic has.
func records(c *kfake.Cluster) (n int64) {
	for _, p := range c.PartitionInfos(topic) {
		n += p.HighWatermark
	}
	return n
}

// A broker dies after it has written events and before it acknowledges them. They come again, with
// the same ids, and behind nothing that should follow them.
func TestKilledBetweenWriteAndAck(t *testing.T) {
	c := cluster(t)
	var w wires
	s := open(t, c.ListenAddrs(), func(o *Options) { o.dial, o.Timeout = w.dial, 5*time.Second })
	all := returnertest.Events(t, 5, 30)
	if err := s.SaveEvents(t.Context(), all[:50]); err != nil {
		t.Fatal(err)
	}
	w.set(func() { waiting.Until(t, "the events are written", func() bool { return records(c) > 50 }) }, false)
	if err := s.SaveEvents(t.Context(), all[50:100]); !errors.Is(err, returners.ErrUnavailable) {
		t.Fatal(err)
	}
	w.set(nil, false)
	for _, part := range [][]returners.Event{all[50:100], all[100:]} {
		if err := s.SaveEvents(t.Context(), part); err != nil {
			t.Fatal(err)
		}
	}
	if n := checkOrder(t, stored(t, c), all); n == 0 {
		t.Error("no repeats: the broker was not killed in between")
	}
}

// Whatever fails on the way, and however often a batch comes again: without the repeats, events of a
// minion are in order.
func TestOrderUnderRetries(t *testing.T) {
	c := cluster(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	faults := 0
	for _, err := range []*kerr.Error{kerr.NotEnoughReplicas, kerr.NotEnoughReplicasAfterAppend, kerr.RequestTimedOut, kerr.NotLeaderForPartition, kerr.UnknownServerError} {
		c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Partitions: []int32{0, 1, 2}, Err: err, Count: -1, When: func(kmsg.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			if rnd.IntN(20) > 0 {
				return false
			}
			faults++
			return true
		}})
	}
	var w wires
	s := open(t, c.ListenAddrs(), func(o *Options) { o.dial = w.dial })
	all := returnertest.Events(t, 8, 100)
	failed := 0
	for at, try := 0, 0; at < len(all); try++ {
		if try%9 == 4 {
			w.set(func() {}, false)
		}
		part := all[at:min(at+40, len(all))]
		err := s.SaveEvents(t.Context(), part)
		w.set(nil, false)
		if err == nil {
			at += len(part)
			continue
		}
		failed++
		if failed > 100 {
			t.Fatal(err)
		}
	}
	repeats := checkOrder(t, stored(t, c), all)
	mu.Lock()
	defer mu.Unlock()
	if faults == 0 || failed == 0 {
		t.Errorf("%d faults, %d failed saves: nothing was tried", faults, failed)
	}
	t.Logf("%d faults, %d failed saves, %d repeats", faults, failed, repeats)
}

// A master that ends with a full outbox delivers it after its restart, in order.
func TestRestartWithAFullOutbox(t *testing.T) {
	path, dest := filepath.Join(t.TempDir(), "jobs.db"), returners.DestEventsPrefix+Name
	reopen := func() *sqlite.Store {
		local, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return local
	}
	all := returnertest.Events(t, 7, 200)
	local := reopen()
	var b returners.Batch
	for _, e := range all {
		payload, err := returners.EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		b.Outbox = append(b.Outbox, returners.Item{Dest: dest, Kind: returners.KindEvent, Payload: payload})
	}
	if _, err := local.Commit(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	c := cluster(t)
	var w wires
	s := open(t, c.ListenAddrs(), func(o *Options) { o.dial, o.Timeout = w.dial, 5*time.Second })
	conf := returners.DrainConfig{Dest: dest, BatchRows: 300, Log: slog.New(slog.DiscardHandler)}
	w.set(func() { waiting.Until(t, "events are written", func() bool { return records(c) > 0 }) }, false)
	if n, err := returners.NewDrain(local, returners.EventSink(s), conf).Step(t.Context()); n != 0 || !errors.Is(err, returners.ErrUnavailable) {
		t.Fatalf("%d events left the outbox, %v", n, err)
	}
	if err := local.Close(); err != nil {
		t.Fatal(err)
	}
	w.set(nil, false)
	local = reopen()
	defer local.Close()
	if rows, _ := local.OutboxSize(dest); rows != int64(len(all)) {
		t.Fatalf("%d events wait after the restart, want %d", rows, len(all))
	}
	d := returners.NewDrain(local, returners.EventSink(s), conf)
	for rows := int64(1); rows > 0; rows, _ = local.OutboxSize(dest) {
		if _, err := d.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := checkOrder(t, stored(t, c), all); n == 0 || n > conf.BatchRows {
		t.Errorf("%d repeats, want those of the first batch that were written", n)
	}
}
