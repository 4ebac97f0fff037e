package daemon

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"
)

const mib = 1 << 20

// After a burst memory is released within a minute. Nothing is released in a busy daemon, in
// one with little free memory, and right after a release without effect.
func TestScavenger(t *testing.T) {
	for name, c := range map[string]struct {
		live, resident uint64 // MiB
		rate           uint64 // MiB per second
		gives          bool
		releases       int // within an hour
	}{
		"after a burst":  {live: 18, resident: 250, gives: true, releases: 1},
		"small":          {live: 5, resident: 30},
		"busy":           {live: 18, resident: 250, rate: 50},
		"gives nothing":  {live: 18, resident: 250, releases: 9},
		"as it should":   {live: 100, resident: 310},
		"a little above": {live: 100, resident: 330, gives: true, releases: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, resident, releases := time.Now(), c.resident, 0
				var first time.Duration
				s := &scavenger{
					read: func() usage {
						return usage{live: c.live * mib, resident: resident * mib, allocated: c.rate * mib * uint64(time.Since(began)/time.Second)}
					},
					release: func() {
						if releases++; releases == 1 {
							first = time.Since(began)
						}
						if c.gives {
							resident = c.live + 10
						}
					},
				}
				ctx, cancel := context.WithCancel(t.Context())
				go s.run(ctx)
				time.Sleep(time.Hour)
				cancel()
				synctest.Wait()
				if releases != c.releases || first > time.Minute {
					t.Errorf("%d releases, the first after %v; want %d", releases, first, c.releases)
				}
				if c.gives && resident > 3*c.live {
					t.Errorf("%d MiB are left of a heap of %d", resident, c.live)
				}
			})
		})
	}
}

// With the runtime's real numbers: an unused heap of 200 MiB is released to the system at the
// first check of an idle process.
func TestScavenger_Real(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as with an eased collector
	func() {
		blocks := make([][]byte, 200)
		for i := range blocks {
			blocks[i] = make([]byte, mib)
			for at := 0; at < mib; at += 4096 {
				blocks[i][at] = 1
			}
		}
		runtime.GC()
		runtime.KeepAlive(blocks)
	}()
	runtime.GC()
	before := readUsage()
	if before.resident < 150*mib || before.resident <= 3*before.live+scavengeSlack {
		t.Fatalf("the runtime gave it back by itself: %+v", before)
	}
	s := &scavenger{read: readUsage, release: debug.FreeOSMemory, last: before}
	s.look(time.Now())
	if after := readUsage(); after.resident > 3*after.live+scavengeSlack {
		t.Errorf("%d MiB live, %d MiB resident", after.live/mib, after.resident/mib)
	}
}
