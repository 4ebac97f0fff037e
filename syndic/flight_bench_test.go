package syndic

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// BenchmarkSlowParent measures how long a job's expectation, and the return of a complete job, wait
// at the node when the parent takes 20 ms per request and a job starts every 15 ms on average.
func BenchmarkSlowParent(b *testing.B) {
	for _, what := range []string{"expectation", "return"} {
		b.Run(what, func(b *testing.B) {
			const slow, between = 20 * time.Millisecond, 15 * time.Millisecond
			var mu sync.Mutex
			given, waits := map[string]time.Time{}, []time.Duration{}
			came := func(jid string) {
				mu.Lock()
				defer mu.Unlock()
				if at, ok := given[jid]; ok {
					waits = append(waits, time.Since(at))
					delete(given, jid)
				}
			}
			p := startParent(b, channeltest.Rules{})
			take, hear := p.take, p.hear
			p.Change(func(r *channeltest.Rules) {
				r.Handle["_syndic_return"] = func(id string, load *wire.Map) any {
					for _, v := range load.List("load") {
						came(v.(*wire.Map).String("jid"))
					}
					time.Sleep(slow) // a slow parent
					return take(id, load)
				}
				r.Handle["_minion_event"] = func(id string, load *wire.Map) any {
					if what == "expectation" {
						for _, v := range load.List("events") {
							came(v.(*wire.Map).String("tag"))
						}
					}
					time.Sleep(slow) // a slow parent
					return hear(id, load)
				}
			})
			n := start(b, never, p)
			r := rand.New(rand.NewPCG(1, 2))
			b.ResetTimer()
			for i := range b.N {
				jid := job(i)
				mu.Lock()
				given[jid] = time.Now()
				mu.Unlock()
				if what == "expectation" {
					n.local.fire(b, jid, wire.NewMap("minions", []any{"web-1"}, "jid", jid))
				} else {
					n.local.commit(b, jid, "web-1")
					n.local.complete(b, jid)
				}
				time.Sleep(time.Duration(r.ExpFloat64() * float64(between))) // minions answer at random times
			}
			waiting.Until(b, "all", func() bool { mu.Lock(); defer mu.Unlock(); return len(waits) == b.N })
			b.StopTimer()
			slices.Sort(waits)
			at := func(q float64) float64 { return float64(waits[int(q*float64(len(waits)-1))].Microseconds()) / 1000 }
			var sum time.Duration
			for _, w := range waits {
				sum += w
			}
			b.ReportMetric(float64(sum.Microseconds())/1000/float64(len(waits)), "ms-mean")
			b.ReportMetric(at(0.5), "ms-p50")
			b.ReportMetric(at(0.95), "ms-p95")
		})
	}
}
