package sqlite

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

func benchStore(b *testing.B, sync string) *Store {
	s, err := Open(b.Context(), Options{Path: filepath.Join(b.TempDir(), "jobs.db"), Synchronous: sync})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

// BenchmarkCommit stores 500 returns of 300 bytes in one transaction, each with an outbox
// row for one parent.
func BenchmarkCommit(b *testing.B) {
	for _, sync := range []string{"full", "normal"} {
		b.Run(sync, func(b *testing.B) {
			s := benchStore(b, sync)
			r := returnertest.Return(b, 1, "m", "test.echo", strings.Repeat("x", 200))
			n := 0
			for b.Loop() {
				var batch Batch
				for range 500 {
					n++
					r.ID, r.JID = returnertest.Minion(n%10000), returnertest.JID(n/10000)
					batch.Returns = append(batch.Returns, r)
					batch.Outbox = append(batch.Outbox, Item{Dest: "parent:top", Kind: returners.KindReturn, JID: r.JID, ID: r.ID})
				}
				if _, err := s.Commit(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkCommitOfJobs stores the returns of jobs for 500 minions, in random order and
// some dozens per commit.
func BenchmarkCommitOfJobs(b *testing.B) {
	for _, size := range []int{100, 1000} {
		for _, rows := range []int{16, 100} {
			b.Run(fmt.Sprintf("size=%d/rows=%d", size, rows), func(b *testing.B) {
				s := benchStore(b, "full")
				r := returnertest.Return(b, 1, "m", "test.echo", strings.Repeat("x", size))
				order := rand.New(rand.NewPCG(1, 2)).Perm(500)
				n, busy := 0, cpu(b)
				b.ResetTimer()
				for range b.N {
					var batch Batch
					for range rows {
						r.ID, r.JID = returnertest.Minion(order[n%500]), returnertest.JID(n/500)
						batch.Returns = append(batch.Returns, r)
						n++
					}
					if _, err := s.Commit(b.Context(), batch); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((cpu(b)-busy).Nanoseconds())/1000/float64(n), "cpu-us/row")
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

// cpu returns the processor time of this process. It varies less than the clock on a shared
// machine.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkGroup runs many senders that each wait for their own return.
func BenchmarkGroup(b *testing.B) {
	for _, senders := range []int{1, 64, 1000} {
		b.Run(fmt.Sprintf("senders=%d", senders), func(b *testing.B) {
			g := returners.NewGroup(benchStore(b, "full"), returners.GroupConfig{})
			defer g.Close()
			r := returnertest.Return(b, 1, "m", "test.echo", strings.Repeat("x", 200))
			var n atomic.Int64
			b.SetParallelism((senders + 1) / 2) // times GOMAXPROCS
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					i := int(n.Add(1))
					r := r
					r.ID, r.JID = returnertest.Minion(i%10000), returnertest.JID(i/10000)
					if _, err := g.Commit(b.Context(), withRows(r, "parent:top")); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(n.Load())/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkRedeliver commits returns that are stored already.
func BenchmarkRedeliver(b *testing.B) {
	s := benchStore(b, "full")
	var batch Batch
	for i := range 500 {
		batch.Returns = append(batch.Returns, returnertest.Return(b, 1, returnertest.Minion(i), "test.ping", true))
	}
	for b.Loop() {
		if _, err := s.Commit(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*500)/b.Elapsed().Seconds(), "rows/s")
}

// withRows returns a batch with a return and one outbox row for each destination.
func withRows(r returners.Return, dests ...string) returners.Batch {
	b := returners.Batch{Returns: []returners.Return{r}}
	for _, d := range dests {
		b.Outbox = append(b.Outbox, returners.Item{Dest: d, Kind: returners.KindReturn, JID: r.JID, ID: r.ID})
	}
	return b
}

// BenchmarkHandOn measures the forwarder of a node without a backlog: it reads and
// acknowledges batches of 50 committed returns. The time excludes the commit.
func BenchmarkHandOn(b *testing.B) {
	s := benchStore(b, "full")
	r := returnertest.Return(b, 1, "m", "test.echo", strings.Repeat("x", 200))
	n, after := 0, int64(0)
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		var batch Batch
		for range 50 {
			n++
			r.ID, r.JID = returnertest.Minion(n%10000), returnertest.JID(n/10000)
			batch.Returns = append(batch.Returns, r)
			batch.Outbox = append(batch.Outbox, Item{Dest: "parent:top", Kind: returners.KindReturn, JID: r.JID, ID: r.ID})
		}
		if _, err := s.Commit(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		rows, err := s.OutboxRead(b.Context(), "parent:top", after, 500, 0)
		if err != nil || len(rows) != 50 {
			b.Fatalf("%d rows, %v", len(rows), err)
		}
		moves := make([]returners.Move, len(rows))
		for i := range rows {
			moves[i].Seq, after = rows[i].Seq, rows[i].Seq
		}
		if err := s.OutboxMove(b.Context(), "parent:top", moves); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1000/float64(n), "us/row")
}
