package brokers

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master"
	_ "github.com/momtree/mom/returners/kafka"
	"github.com/momtree/mom/topology"
)

const topic = "events"

// freeAddr returns an address where nobody listens.
func freeAddr(t testing.TB) string {
	t.Helper()
	port, err := localcluster.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// conf returns the configuration of a master below dir.
func conf(dir string) *config.Master {
	c := config.DefaultMaster()
	c.ID, c.Interface, c.PublishPort, c.RetPort = "top", "127.0.0.1", 0, 0
	c.PkiDir, c.Cachedir, c.SockDir = filepath.Join(dir, "pki"), filepath.Join(dir, "cache"), filepath.Join(dir, "run")
	c.SyndicDir, c.JobStoreFile = filepath.Join(dir, "cache", "syndics"), filepath.Join(dir, "jobs.db")
	c.LogLevel, c.LoopInterval = "quiet", time.Second
	c.EventReturnWhitelist = []string{"my/*"}
	return c
}

// running is a master with what the test needs of it.
type running struct {
	*master.Master
	stop func()
}

func start(t testing.TB, c *config.Master) running {
	t.Helper()
	m, err := master.New(master.Options{Config: c, Version: "test", Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done, before := make(chan error, 1), m.Bus().Stats().Subscribers
	go func() { done <- m.Run(ctx) }()
	waiting.Until(t, "event_return reads the bus", func() bool { return m.Bus().Stats().Subscribers > before })
	stopped := false
	r := running{m, func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}}
	t.Cleanup(r.stop)
	return r
}

// fire fires n events of each of a number of minions, from the given number.
func (r running) fire(t testing.TB, minions, from, n int) {
	t.Helper()
	for i := range n {
		for m := range minions {
			id := fmt.Sprint("m", m)
			if err := r.Bus().Fire("my/"+id, wire.NewMap("id", id, "n", from+i)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// waits returns how many events wait for a returner.
func (r running) waits(t testing.TB, name string) int64 {
	t.Helper()
	st, err := r.Store().Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range st.Backlog {
		if b.Dest == "events:"+name {
			return b.Rows
		}
	}
	t.Fatalf("no backlog of %s in %+v", name, st.Backlog)
	return 0
}

// consumed reads the topic from its start.
func consumed(t testing.TB, c *kfake.Cluster) (all []message) {
	t.Helper()
	want := 0
	for _, p := range c.PartitionInfos(topic) {
		want += int(p.HighWatermark)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.ConsumeTopics(topic), kgo.DisableClientMetrics())
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for len(all) < want {
		got := cl.PollFetches(ctx)
		if err := got.Err0(); err != nil {
			t.Fatal(err)
		}
		got.EachRecord(func(r *kgo.Record) { all = append(all, parse(t, string(r.Key), r.Value)) })
	}
	return all
}

// checkEvents checks that a number of events came, those of each minion in order and without a gap.
func checkEvents(t testing.TB, got []message, total int) {
	t.Helper()
	seen, next := map[string]bool{}, map[string]int{}
	for _, m := range got {
		if seen[m.ID] {
			continue
		}
		seen[m.ID] = true
		if m.Data.N != next[m.Minion] || m.Tag != "my/"+m.Minion || m.Master != "top" || !strings.HasPrefix(m.ID, "top/") {
			t.Errorf("%+v, want number %d", m, next[m.Minion])
		}
		next[m.Minion] = m.Data.N + 1
	}
	if len(seen) != total {
		t.Errorf("%d events, want %d", len(seen), total)
	}
}

// A master gives its events to both brokers. Both are away for long, the outboxes fill up, events
// beyond the bound are lost and reported, and the master ends. Started again, it delivers what waits,
// in order, once the brokers are there.
func TestMaster(t *testing.T) {
	kafkaAddr, natsAddr, natsDir := freeAddr(t), freeAddr(t), t.TempDir()
	c := conf(t.TempDir())
	c.EventReturn, c.OutboxMaxRows = []string{"kafka", "nats"}, 1000
	c.Raw = map[string]any{
		"returner.kafka.bootstrap": []any{kafkaAddr}, "returner.kafka.topic": topic,
		"nats": map[string]any{"servers": []any{natsAddr}, "subject": subject},
	}
	m := start(t, c)
	m.fire(t, 10, 0, 20)
	for _, name := range []string{"kafka", "nats"} {
		waiting.Until(t, "events wait for "+name, func() bool { return m.waits(t, name) == 200 })
	}
	waiting.Within(t, 3*time.Minute, "the tree reports both brokers", func() bool {
		text := ""
		for _, p := range m.Snapshot().Problems {
			if p.Kind == topology.Degraded {
				text += p.Detail
			}
		}
		return strings.Contains(text, "returner kafka stores nothing") && strings.Contains(text, "returner nats stores nothing")
	})
	m.fire(t, 10, 20, 100)
	waiting.Until(t, "an outbox is full", func() bool { return m.waits(t, "kafka") >= 1000 })
	held := m.waits(t, "kafka")
	m.fire(t, 10, 120, 10)
	waiting.Until(t, "events are lost", func() bool { return m.Store().LostEvents().N >= 100 })
	if n := m.waits(t, "kafka"); n != held {
		t.Errorf("%d events wait, %d before", n, held)
	}
	m.stop()

	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, topic), kfake.Ports(portOf(t, kafkaAddr)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	s := natsServer(t, natsDir, portOf(t, natsAddr))
	st := stream(t, s, jetstream.StreamConfig{})
	m = start(t, c)
	for _, name := range []string{"kafka", "nats"} {
		waiting.Within(t, 3*time.Minute, "nothing waits for "+name, func() bool { return m.waits(t, name) == 0 })
	}
	checkEvents(t, consumed(t, broker), int(held))
	checkEvents(t, stored(t, st), int(held))
}
