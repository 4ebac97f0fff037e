package master

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// BenchmarkFiles measures minions that fetch the same file at the same time, chunk by chunk over
// separate connections, as after state.apply to all of them. Their side runs in this process and
// keeps nothing, so the peak of the heap is the master's.
//
//	go test ./master -run - -bench Files -benchtime 1x
func BenchmarkFiles(b *testing.B) {
	for _, c := range []struct{ minions, megabytes int }{{200, 10}, {2000, 1}, {2000, 10}} {
		b.Run(fmt.Sprintf("minions=%d/MB=%d", c.minions, c.megabytes), func(b *testing.B) {
			r := newRig(b, func(c *config.Master) { c.ZmqHeartbeatIvl = 0 }) // these peers do not answer heartbeats
			r.file("srv/big", string(make([]byte, c.megabytes<<20)), 0o644)
			herd := r.herd(b, c.minions)
			for b.Loop() {
				r.fetch(b, herd, c.megabytes<<20)
			}
		})
	}
}

// fetch makes all minions of a herd fetch srv/big.
func (r *rig) fetch(b *testing.B, herd []*benchMinion, size int) {
	b.Helper()
	stop := make(chan struct{})
	var peak atomic.Uint64
	var watch, all sync.WaitGroup
	runtime.GC()
	watch.Go(func() {
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), m.HeapInuse))
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	busy := cpu(b)
	begun := time.Now()
	took := make([]time.Duration, len(herd))
	for i, m := range herd {
		all.Go(func() {
			for at := 0; at <= size; at += r.cfg.FileBufferSize {
				body, err := m.asks(wire.NewMap("cmd", "_serve_file", "path", "big", "saltenv", "base", "loc", at))
				if err != nil {
					b.Error(err)
					return
				}
				n, err := m.Ask(body)
				if want := min(r.cfg.FileBufferSize, size-at); err != nil || n < want || n > want+1000 {
					b.Errorf("%s at %d: %d bytes, %v", m.id, at, n, err)
					return
				}
			}
			took[i] = time.Since(begun)
		})
	}
	all.Wait()
	close(stop)
	watch.Wait()
	slices.Sort(took)
	_, _, most := r.files.Waiting()
	mb := float64(len(herd)) * float64(size) / (1 << 20)
	b.ReportMetric(mb/took[len(took)-1].Seconds(), "MB/s")
	b.ReportMetric(float64((cpu(b)-busy).Milliseconds())/mb, "cpu-ms/MB")
	b.ReportMetric(took[0].Seconds(), "first-s")
	b.ReportMetric(took[len(took)-1].Seconds(), "last-s")
	b.ReportMetric(float64(peak.Load())/(1<<20), "heap-MB")
	b.ReportMetric(float64(most)/(1<<20), "on-their-way-MB")
}
