package topology

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// chain is three tiers with n minions at the lowest.
func chain(b *testing.B, n int) (low, mid, top *Tree) {
	b.Helper()
	low, mid, top = NewTree(Node{ID: "low"}, nil), NewTree(Node{ID: "mid"}, nil), NewTree(Node{ID: "top"}, nil)
	for i := range n {
		low.SetMinion(Minion{ID: fmt.Sprintf("minion-%07d", i), State: Up, Version: "1.0"})
	}
	return low, mid, top
}

// One minion flaps at depth 3: what each tier does until the top knows, with
// the encoding for the wire.
func BenchmarkFlapAtDepth3(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			low, mid, top := chain(b, n)
			one, _ := up(b, low, mid, 0)
			two, _ := up(b, mid, top, 0)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				low.SetMinion(Minion{ID: "minion-0000042", State: []State{Down, Up}[i%2], Version: "1.0"})
				one, _ = up(b, low, mid, one)
				two, _ = up(b, mid, top, two)
			}
			b.StopTimer()
			d, _ := mid.Changes(two - 1)
			raw, err := wire.Encode(d.Map())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(len(raw)), "wirebytes")
		})
	}
}

// The same with a whole report at each tier, for comparison.
func BenchmarkFlapByWholeReports(b *testing.B) {
	low, mid, top := chain(b, 100_000)
	b.ReportAllocs()
	for i := range b.N {
		low.SetMinion(Minion{ID: "minion-0000042", State: []State{Down, Up}[i%2], Version: "1.0"})
		up(b, low, mid, 0)
		up(b, mid, top, 0)
	}
}

// A million minions under a hundred nodes: one flaps, and the top asks for its
// problems.
func BenchmarkTopOfAMillion(b *testing.B) {
	top := NewTree(Node{ID: "top"}, nil)
	low := make([]*Tree, 100)
	at := make([]uint64, len(low))
	for i := range low {
		low[i] = NewTree(Node{ID: fmt.Sprint("node-", i)}, nil)
		for k := range 10_000 {
			low[i].SetMinion(Minion{ID: fmt.Sprintf("minion-%d-%d", i, k), State: Up, Version: "1.0"})
		}
		at[i], _ = up(b, low[i], top, 0)
	}
	b.Run("flap", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			k := i % len(low)
			low[k].SetMinion(Minion{ID: fmt.Sprintf("minion-%d-7", k), State: []State{Down, Up}[i/len(low)%2], Version: "1.0"})
			at[k], _ = up(b, low[k], top, at[k])
		}
	})
	b.Run("problems", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			_ = Problems(top.Snapshot())
		}
	})
}

// A hundred thousand minions are reported: at once and in pieces. msg-MB is the
// largest message, took-MB what the parent allocates for it, ms the work of both ends
// for all of it.
func BenchmarkLargeReport(b *testing.B) {
	low := NewTree(Node{ID: "low"}, nil)
	for i := range 100_000 {
		low.SetMinion(Minion{ID: fmt.Sprintf("web-%06d.eu-west.example.com", i), State: Up, Version: "1.2.3"})
	}
	n, at := low.Whole()
	for _, c := range []struct {
		name string
		maps func() []*wire.Map
		take func(*Tree, *wire.Map) error
	}{
		{"whole", func() []*wire.Map { return []*wire.Map{n.Map()} }, func(top *Tree, m *wire.Map) error {
			got, err := FromMap(m)
			if err != nil {
				return err
			}
			return top.Report(got, at)
		}},
		{"pieces", func() (out []*wire.Map) {
			for _, p := range WholeDelta(n, at).Pieces() {
				out = append(out, p.Map())
			}
			return out
		}, func(top *Tree, m *wire.Map) error {
			p, err := PieceFrom(m)
			if err != nil {
				return err
			}
			d, done, err := top.Gather("low", n.Life, p)
			if err != nil || !done {
				return err
			}
			got, err := d.Node("low")
			if err != nil {
				return err
			}
			got.Life = n.Life
			return top.Report(got, d.To)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var largest int
			var took uint64
			for range b.N {
				top := NewTree(Node{ID: "top"}, nil)
				for _, m := range c.maps() {
					raw, err := wire.Encode(m)
					if err != nil {
						b.Fatal(err)
					}
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					if m, err = wire.DecodeMap(raw); err == nil {
						err = c.take(top, m)
					}
					if err != nil {
						b.Fatal(err)
					}
					runtime.ReadMemStats(&after)
					largest, took = max(largest, len(raw)), max(took, after.TotalAlloc-before.TotalAlloc)
				}
				if top.Have("low", n.Life) != at {
					b.Fatal("it is not there")
				}
			}
			b.ReportMetric(float64(largest)/1e6, "msg-MB")
			b.ReportMetric(float64(took)/1e6, "took-MB")
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms")
		})
	}
}
