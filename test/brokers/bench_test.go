package brokers

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/momtree/mom/internal/waiting"
)

// BenchmarkEvents measures events of 500 minions from the bus of a master to a broker in the same
// process, and the time of the processors per event; "none" is a master without event_return. The
// broker's own time is included.
func BenchmarkEvents(b *testing.B) {
	for _, name := range []string{"none", "kafka", "nats"} {
		b.Run(name, func(b *testing.B) {
			c := conf(b.TempDir())
			c.EventReturnWhitelist = []string{"my/*"}
			delivered := func() int { return 0 }
			switch name {
			case "kafka":
				broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(8, topic))
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(broker.Close)
				c.EventReturn, c.Raw = []string{"kafka"}, map[string]any{"kafka.bootstrap": broker.ListenAddrs()[0], "kafka.topic": topic}
				delivered = func() (n int) {
					for _, p := range broker.PartitionInfos(topic) {
						n += int(p.HighWatermark)
					}
					return n
				}
			case "nats":
				s := natsServer(b, b.TempDir(), -1)
				st := stream(b, s, jetstream.StreamConfig{})
				c.EventReturn, c.Raw = []string{"nats"}, map[string]any{"nats.servers": s.ClientURL(), "nats.subject": subject}
				delivered = func() int {
					info, err := st.Info(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					return int(info.State.Msgs) //nolint:gosec // a small number
				}
			}
			m := start(b, c)
			total, cpu := 0, spent(b)
			for b.Loop() {
				const minions, of = 500, 20
				m.fire(b, minions, 0, of)
				total += minions * of
				if name != "none" {
					waiting.Within(b, 5*time.Minute, fmt.Sprint(total, " events are delivered"), func() bool { return delivered() >= total })
				}
			}
			b.ReportMetric(float64(total)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64((spent(b)-cpu).Microseconds())/float64(total), "cpu-µs/event")
			m.stop()
		})
	}
}

// spent returns the time of the processors that this process has used.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
