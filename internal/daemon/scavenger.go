package daemon

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// scavengeEvery is how often memory is looked at.
	scavengeEvery = 10 * time.Second
	// scavengeSlack is what may stay above three times the live heap, in bytes: the
	// runtime's own memory and what a small heap needs to work in.
	scavengeSlack = 16 << 20
	// scavengeBusy is the rate of allocation at which the heap is left alone, in bytes per
	// second: it would grow again at once.
	scavengeBusy = 4 << 20
	// scavengeMost is the longest wait after a release that gave nothing back.
	scavengeMost = 10 * time.Minute
)

// usage is how memory stands.
type usage struct {
	live      uint64 // heap that the last collection found in use
	resident  uint64 // that the runtime has from the system
	allocated uint64 // in all, since the start
}

// Scavenge gives memory back to the system after a burst, until ctx ends. The runtime keeps
// what it may need up to its next collection, and an idle daemon, whose collector is eased
// ([EaseCollector]), keeps the size of its largest burst. Memory is released when the daemon
// is idle and has more than three times its live heap.
func Scavenge(ctx context.Context) {
	(&scavenger{read: readUsage, release: debug.FreeOSMemory}).run(ctx)
}

// scavenger decides when memory is released.
type scavenger struct {
	read    func() usage
	release func() // collects garbage and gives all free memory to the system
	last    usage
	rest    time.Duration // after a release that gave nothing back; 0: none
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

// look releases memory if it is worth it.
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
	if after.resident+scavengeSlack/4 > u.resident { // what is free cannot be given back
		s.rest = min(max(2*s.rest, time.Minute), scavengeMost)
	} else {
		s.rest = 0
	}
	s.until = now.Add(s.rest)
}

// readUsage asks the runtime, which takes some microseconds.
func readUsage() usage {
	m := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/gc/heap/allocs:bytes"},
	}
	metrics.Read(m)
	return usage{live: m[0].Value.Uint64(), resident: m[1].Value.Uint64() - m[2].Value.Uint64(), allocated: m[3].Value.Uint64()}
}
