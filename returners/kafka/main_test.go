package kafka

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/momtree/mom/returners"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}

const topic = "events"

// cluster starts a broker with a topic of four partitions.
func cluster(t testing.TB, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(4, topic)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// open opens a returner with a short limit.
func open(t testing.TB, brokers []string, change ...func(*Options)) *Store {
	t.Helper()
	o := Options{Bootstrap: brokers, Topic: topic, Timeout: 2 * time.Second, Log: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&o)
	}
	s, err := Open(o)
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

// record is a record of the topic.
type record struct {
	key       string
	partition int32
	minion    string
	n         int
}

// stored reads the topic from its start, in the order of each partition.
func stored(t testing.TB, c *kfake.Cluster, opts ...kgo.Opt) (all []record) {
	t.Helper()
	want := int64(0)
	for _, p := range c.PartitionInfos(topic) {
		want += p.HighWatermark
	}
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...), kgo.ConsumeTopics(topic), kgo.DisableClientMetrics()}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for int64(len(all)) < want {
		got := cl.PollFetches(ctx)
		if err := got.Err0(); err != nil {
			t.Fatalf("read the topic: %v after %d of %d records", err, len(all), want)
		}
		got.EachRecord(func(r *kgo.Record) {
			var doc struct {
				ID     string
				Minion string
				Data   struct{ N int }
			}
			if err := json.Unmarshal(r.Value, &doc); err != nil || doc.ID != string(r.Key) {
				t.Errorf("%s: %v in %s", r.Key, err, r.Value)
			}
			all = append(all, record{string(r.Key), r.Partition, doc.Minion, doc.Data.N})
		})
	}
	return all
}

// checkOrder drops repeats by their key, as a consumer does, and checks that each event is there and
// that those of a minion are in one partition and in order. It returns the number of repeats.
func checkOrder(t testing.TB, got []record, want []returners.Event, missing ...string) (repeats int) {
	t.Helper()
	seen, last, partition := map[string]bool{}, map[string]int{}, map[string]int32{}
	for _, r := range got {
		if seen[r.key] {
			repeats++
			continue
		}
		seen[r.key] = true
		if before, ok := last[r.minion]; ok && r.n < before {
			t.Errorf("event %d of %s comes after %d", r.n, r.minion, before)
		}
		if p, ok := partition[r.minion]; ok && p != r.partition {
			t.Errorf("%s has partitions %d and %d", r.minion, p, r.partition)
		}
		last[r.minion], partition[r.minion] = r.n, r.partition
	}
	absent := map[string]bool{}
	for _, key := range missing {
		absent[key] = true
	}
	for _, e := range want {
		if seen[e.Key] == absent[e.Key] {
			t.Errorf("event %s: stored %v", e.Key, seen[e.Key])
		}
	}
	return repeats
}
