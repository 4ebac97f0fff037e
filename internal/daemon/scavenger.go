package daemon

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// scavengeEvery is the interval between checks.
	scavengeEvery = 10 * time.Second
	// scavengeSlack is how much memory above three times the live heap may stay, in bytes: the
	// runtime's own memory, and space for a small heap.
	scavengeSlack = 16 << 20
	// scavengeBusy is the allocation rate above which nothing is released, in bytes per second:
	// the heap would grow again at once.
	scavengeBusy = 4 << 20
	// scavengeMost is the longest pause after a release without effect.
	scavengeMost = 10 * time.Minute
)

// usage is the memory usage.
type usage struct {
	live      uint64 // heap in use at the last collection
	resident  uint64 // memory that the runtime has from the system
	allocated uint64 // total since the start
}

// Scavenge releases memory to the system after a burst, until ctx ends. The runtime keeps
// memory that it may need before its next collection, so an idle daemon whose collector is
// eased ([EaseCollector]) keeps the size of its largest burst. Scavenge releases memory when
// the daemon is idle and has more than three times its live heap.
func Scavenge(ctx context.Context) {
	(&scavenger{read: readUsage, release: debug.FreeOSMemory}).run(ctx)
}

// scavenger decides when memory is released.
type scavenger struct {
	read    func() usage
	release func() // collects garbage and releases all free memory to the system
	last    usage
	rest    time.Duration // pause after a release without effect; 0 means none
	until   time.Time
}

func (s *scavenger) run(ctx context.Context) {
	t := time.NewTicker(scavengeEvery)
	defer t.Stop()
	s.last = s.read()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			s.look(time.Now())
		}
	}
}

// look releases memory if it is worthwhile.
func (s *scavenger) look(now time.Time) {
	u := s.read()
	idle := u.allocated-s.last.allocated < scavengeBusy*uint64(scavengeEvery/time.Second)
	s.last = u
	if !idle || u.resident <= 3*u.live+scavengeSlack || now.Before(s.until) {
		return
	}
	s.release()
	after := s.read()
	s.last = after
	if after.resident+scavengeSlack/4 > u.resident { // the free memory cannot be released
		s.rest = min(max(2*s.rest, time.Minute), scavengeMost)
	} else {
		s.rest = 0
	}
	s.until = now.Add(s.rest)
}

// readUsage reads the usage from the runtime, which takes some microseconds.
func readUsage() usage {
	m := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/gc/heap/allocs:bytes"},
	}
	metrics.Read(m)
	return usage{live: m[0].Value.Uint64(), resident: m[1].Value.Uint64() - m[2].Value.Uint64(), allocated: m[3].Value.Uint64()}
}
