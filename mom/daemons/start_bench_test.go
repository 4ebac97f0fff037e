package daemons

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// BenchmarkStartOfANode measures what a job of the master above costs a node: from the
// publication to that master's having heard who has to answer. Nobody is behind the
// node, so the job ends at once, and its end is reported too. The syncs of the disk are
// counted from outside:
//
//	strace -f -c -e trace=fsync,fdatasync daemons.test -test.run=^$ -test.bench=StartOfANode -test.benchtime=1000x
func BenchmarkStartOfANode(b *testing.B) {
	for _, abreast := range []int{1, 16} {
		b.Run(fmt.Sprintf("abreast=%d", abreast), func(b *testing.B) {
			var mu sync.Mutex
			heard := map[string]chan struct{}{}
			top := channeltest.Start(b, channeltest.Rules{Handle: map[string]channeltest.Handler{
				"_minion_event": func(_ string, load *wire.Map) any {
					for _, v := range load.List("events") {
						e, _ := v.(*wire.Map)
						mu.Lock()
						if c := heard[e.String("tag")]; c != nil {
							delete(heard, e.String("tag"))
							close(c)
						}
						mu.Unlock()
					}
					return nil
				},
			}})
			benchNode(b, top)
			jids := jid.NewGenerator(time.Now, 0)
			took := make([]time.Duration, b.N)
			turns := make(chan struct{}, abreast)
			var wg sync.WaitGroup
			busy := usage(b)
			b.ResetTimer()
			for i := range b.N {
				turns <- struct{}{}
				job, reported := jids.Next(), make(chan struct{})
				mu.Lock()
				heard[job] = reported
				mu.Unlock()
				start := time.Now()
				top.Publish(channeltest.Job(job, "nobody", "test.ping"))
				wg.Go(func() {
					<-reported
					took[i] = time.Since(start)
					<-turns
				})
			}
			wg.Wait()
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(float64((usage(b)-busy).Microseconds())/float64(b.N), "cpu-us/job")
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// usage is the processor time of this process.
func usage(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchNode runs a node below a master until the benchmark ends.
func benchNode(b *testing.B, top *channeltest.Master) {
	b.Helper()
	dir, err := os.MkdirTemp("", "bn")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(dir) })
	lower, upper := config.DefaultMaster(), config.DefaultMinion()
	lower.ID, lower.Interface, lower.PublishPort, lower.RetPort = "syn-a", "127.0.0.1", 0, 0
	lower.PkiDir, lower.Cachedir, lower.SockDir = filepath.Join(dir, "p"), filepath.Join(dir, "c"), filepath.Join(dir, "s")
	lower.SyndicDir, lower.JobStoreFile, lower.User, lower.OrderMasters = filepath.Join(dir, "c", "syndics"), filepath.Join(dir, "c", "jobs.db"), "root", true
	upper.ID, upper.PkiDir, upper.Master = "syn-a", filepath.Join(dir, "u"), []string{top.Addr()}
	upper.ReconDefault, upper.ReconMax = 5*time.Millisecond, 20*time.Millisecond
	channeltest.WriteKeys(b, lower.PkiDir, "lower_master", "master")
	channeltest.WriteKeys(b, upper.PkiDir, "syndic", "minion")
	log := slog.New(slog.DiscardHandler)
	ports, err := newNode(&config.Syndic{Local: lower, Upper: upper}, "bench", log, nil) // which ports are free
	if err != nil {
		b.Fatal(err)
	}
	lower.PublishPort, lower.RetPort = ports.master.Ports()
	if err := ports.close(); err != nil {
		b.Fatal(err)
	}
	n, err := newNode(&config.Syndic{Local: lower, Upper: upper}, "bench", log, nil)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	top.AwaitSubscribers(b, 1)
	top.Await(b, "_minion_event", 1) // it has greeted
}
