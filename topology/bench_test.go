package topology

import (
	"fmt"
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
