package mysql

import (
	"fmt"
	"strings"
	"testing"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

// BenchmarkSaveReturns stores returns of 300 bytes. A batch of 500 uses a prepared
// statement, one of 499 plain SQL.
func BenchmarkSaveReturns(b *testing.B) {
	s := server(b)
	for _, size := range []int{1, 50, 499, 500} {
		for _, again := range []bool{false, true} {
			b.Run(fmt.Sprintf("batch=%d/known=%v", size, again), func(b *testing.B) {
				st := open(b, s, s.Database(b))
				r := returnertest.Return(b, 1, "m", "test.echo", strings.Repeat("x", 200))
				n := 0
				for b.Loop() {
					rets := make([]returners.Return, size)
					for i := range rets {
						rets[i] = r
						if k := n + i; again {
							rets[i].ID = returnertest.Minion(i)
						} else {
							rets[i].ID, rets[i].JID = returnertest.Minion(k%10000), returnertest.JID(k/10000)
						}
					}
					n += size
					if err := st.SaveReturns(b.Context(), rets); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}
