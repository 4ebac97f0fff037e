package zmtp

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/zmtp/swarmtest"
)

// BenchmarkRequestReply has n connections with one request of 200 bytes in flight each, raw
// peers and router in one process.
func BenchmarkRequestReply(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newRouter(b, RouterConfig{}, func(q *Request) { q.Reply(q.Body) })
			peers := make([]*rawPeer, n)
			for i := range peers {
				peers[i] = dialPeer(b, r.Addr(), 1, "REQ", "")
			}
			request := message("", strings.Repeat("x", 200))
			var left atomic.Int64
			left.Store(int64(b.N))
			b.ReportAllocs()
			b.ResetTimer()
			var wg sync.WaitGroup
			for _, p := range peers {
				wg.Go(func() {
					for left.Add(-1) >= 0 {
						_, err := p.Write(request)
						for err == nil {
							var h header
							if h, err = p.skipFrame(); !h.command() && !h.more() {
								break
							}
						}
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
		})
	}
}

// BenchmarkReq does the same through Req, with a pool of 8.
func BenchmarkReq(b *testing.B) {
	r := newRouter(b, RouterConfig{}, func(q *Request) { q.Reply(q.Body) })
	q := newReq(b, r.Addr().String(), DialConfig{})
	body := make([]byte, 200)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := q.Do(b.Context(), body); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkLargeRequest sends 1 MiB there and back.
func BenchmarkLargeRequest(b *testing.B) {
	for _, trusted := range []bool{false, true} {
		b.Run(fmt.Sprintf("trusted=%v", trusted), func(b *testing.B) {
			r := newRouter(b, RouterConfig{}, func(q *Request) {
				if trusted {
					q.Peer.Trust()
				}
				q.Reply(q.Body)
			})
			q := newReq(b, r.Addr().String(), DialConfig{})
			body := make([]byte, 1<<20)
			b.SetBytes(2 << 20)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := q.Do(b.Context(), body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFanOut publishes 1 KB to n subscribers in another process; an operation ends when
// the last of them has it.
func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := newPub(b, PubConfig{Limits: Limits{MaxConns: n}})
			s := swarmtest.Start(b, "SUB", n, p.Addr().String())
			waiting.Until(b, "subscribed", func() bool { return p.Stats().Subscribers == n })
			body := make([]byte, 1<<10)
			for b.Loop() {
				if err := p.Send("", body); err != nil {
					b.Fatal(err)
				}
				s.Await(b, swarmtest.Received)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
		})
	}
}

// BenchmarkBurst publishes 100 messages of 1 KB as fast as it can and waits for
// them all.
func BenchmarkBurst(b *testing.B) {
	const n, burst = 1000, 100
	p := newPub(b, PubConfig{})
	s := swarmtest.Start(b, "SUB", n, p.Addr().String())
	waiting.Until(b, "subscribed", func() bool { return p.Stats().Subscribers == n })
	body := make([]byte, 1<<10)
	for b.Loop() {
		for range burst {
			if err := p.Send("", body); err != nil {
				b.Fatal(err)
			}
		}
		for range burst {
			s.Await(b, swarmtest.Received)
		}
	}
	b.ReportMetric(n*burst*float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
}

// BenchmarkTopic publishes to one of n subscribers by its topic: the others must not slow it
// down.
func BenchmarkTopic(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			sh := newShard(&Pub{})
			for i := range n {
				peer := &Peer{dead: make(chan struct{})}
				peer.out.closed = true
				sub := &subscriber{peer: peer, shard: sh}
				peer.once.Do(func() {})
				if _, err := sub.add(fmt.Sprintf("%040d", i)); err != nil {
					b.Fatal(err)
				}
			}
			topic := fmt.Sprintf("%040d", 7)
			for b.Loop() {
				sh.publish(publication{topic: topic}, nil, 1)
			}
		})
	}
}

// BenchmarkMemoryPerPeer reports the resident memory of an idle connection.
func BenchmarkMemoryPerPeer(b *testing.B) {
	const n = 5000
	for _, kind := range []string{"SUB", "REQ"} {
		b.Run(kind, func(b *testing.B) {
			before := resident(b)
			var addr interface{ Peers() int }
			switch kind {
			case "SUB":
				p := newPub(b, PubConfig{})
				swarmtest.Start(b, kind, n, p.Addr().String())
				addr = p
			case "REQ":
				r := newRouter(b, RouterConfig{}, echo)
				swarmtest.Start(b, kind, n, r.Addr().String())
				addr = counted{r}
			}
			waiting.Until(b, "connected", func() bool { return addr.Peers() == n })
			for b.Loop() {
			}
			b.ReportMetric(float64(resident(b)-before)/n, "B/peer")
			b.ReportMetric(0, "ns/op")
		})
	}
}

type counted struct{ *Router }

func (c counted) Peers() int { return c.Stats().Peers }

// resident returns the resident memory of this process after unused heap is released.
func resident(b *testing.B) int {
	debug.FreeOSMemory()
	var size, pages int
	s, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(s), &size, &pages)
	}
	if err != nil {
		b.Fatal(err)
	}
	return pages * os.Getpagesize()
}
