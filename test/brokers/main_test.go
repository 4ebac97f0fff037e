package brokers

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/nats"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(
		m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"),
		goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.init.0.func1"),
		goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server/ats.init.0.func1"),
	)
}

var quiet = slog.New(slog.DiscardHandler)

const subject = "salt.events"

// natsServer starts a server with JetStream. port -1 selects one.
func natsServer(t testing.TB, dir string, port int, change ...func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true}
	for _, f := range change {
		f(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() { stop(s) })
	return s
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// stream makes a stream for the subject, and returns it.
func stream(t testing.TB, s *server.Server, conf jetstream.StreamConfig) jetstream.Stream {
	t.Helper()
	conf.Name, conf.Subjects = "EVENTS", []string{"salt.>"}
	js, err := jetstream.New(connect(t, s))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	st, err := js.CreateOrUpdateStream(ctx, conf)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func connect(t testing.TB, s *server.Server) *natsgo.Conn {
	t.Helper()
	c, err := natsgo.Connect(s.ClientURL(), natsgo.MaxReconnects(-1), natsgo.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// open opens the returner with a short limit.
func open(t testing.TB, addr string, change ...func(*nats.Options)) *nats.Store {
	t.Helper()
	o := nats.Options{Servers: []string{addr}, Subject: subject, Timeout: 2 * time.Second, Log: quiet}
	for _, f := range change {
		f(&o)
	}
	s, err := nats.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// message is what a consumer gets.
type message struct {
	ID     string
	Tag    string
	Minion string
	Master string `json:"master_id"`
	Data   struct{ N int }
}

func parse(t testing.TB, id string, text []byte) (m message) {
	t.Helper()
	if err := json.Unmarshal(text, &m); err != nil || m.ID != id {
		t.Errorf("%s: %v in %s", id, err, text)
	}
	return m
}

// stored reads a stream from its start.
func stored(t testing.TB, st jetstream.Stream) (all []message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	info, err := st.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c, err := st.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for uint64(len(all)) < info.State.Msgs {
		rest := int(info.State.Msgs) - len(all)
		got, err := c.Fetch(min(500, rest), jetstream.FetchMaxWait(30*time.Second)) // waits for as many
		if err != nil {
			t.Fatal(err)
		}
		n := len(all)
		for m := range got.Messages() {
			all = append(all, parse(t, m.Headers().Get("Nats-Msg-Id"), m.Data()))
		}
		if len(all) == n {
			t.Fatalf("%d of %d messages: %v", n, info.State.Msgs, got.Error())
		}
	}
	return all
}

// checkOrder drops repeats by their id, as a consumer does, and checks that each event is there and
// that those of a minion are in order. It returns the number of repeats.
func checkOrder(t testing.TB, got []message, want []string, missing ...string) (repeats int) {
	t.Helper()
	seen, last := map[string]bool{}, map[string]int{}
	for _, m := range got {
		if seen[m.ID] {
			repeats++
			continue
		}
		seen[m.ID] = true
		if before, ok := last[m.Minion]; ok && m.Data.N < before {
			t.Errorf("event %d of %s comes after %d", m.Data.N, m.Minion, before)
		}
		last[m.Minion] = m.Data.N
	}
	absent := map[string]bool{}
	for _, id := range missing {
		absent[id] = true
	}
	for _, id := range want {
		if seen[id] == absent[id] {
			t.Errorf("event %s: stored %v", id, seen[id])
		}
	}
	return repeats
}

func ids(events []returners.Event) (out []string) {
	for _, e := range events {
		out = append(out, e.Key)
	}
	return out
}

// portOf returns the port of an address.
func portOf(t testing.TB, addr string) int {
	t.Helper()
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
