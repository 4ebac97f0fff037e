package master

import (
	"log/slog"
	"sync/atomic"

	"github.com/momtree/mom/internal/zmtp"
)

// stats counts what a master does.
type stats struct {
	returns    atomic.Uint64 // new returns stored
	repeated   atomic.Uint64 // returns that were stored before
	completed  atomic.Uint64 // jobs closed
	refused    atomic.Uint64 // requests and events that were refused
	subscribed atomic.Uint64 // subscriptions of all peers
	missed     atomic.Uint64 // publications given again
	hungUp     atomic.Uint64 // sign-ins whose peer did not wait
	lastWarned atomic.Int64  // second of the last warning about a user
	panics     atomic.Uint64 // requests that failed for a fault of ours
}

// Stats is a reading of a master's counters.
type Stats struct {
	Returns, Repeated, Completed, Refused uint64
	// Missed counts publications that were given again to peers that had missed
	// them. KeptPublications and KeptBytes are what is kept for that now,
	// DroppedPublications what went for want of room.
	Missed              uint64
	KeptPublications    int
	KeptBytes           int64
	DroppedPublications uint64
	HungUp, Panics      uint64

	// Trespasses are what accepted peers were refused, by kind: return, job,
	// entry, expectation, event, node, replay, unproven.
	Trespasses map[string]uint64

	SignInsWaiting int
	Router         zmtp.RouterStats
	Pub            zmtp.PubStats
}

// Stats reads the counters.
func (m *Master) Stats() Stats {
	records, bytes, dropped := m.kept.Size()
	return Stats{
		Missed: m.stats.missed.Load(), KeptPublications: records, KeptBytes: bytes, DroppedPublications: dropped,
		Returns: m.stats.returns.Load(), Repeated: m.stats.repeated.Load(),
		Completed: m.stats.completed.Load(), Refused: m.stats.refused.Load(), Trespasses: m.trespasses.Counts(),
		HungUp: m.stats.hungUp.Load(), Panics: m.stats.panics.Load(),
		SignInsWaiting: m.signIns.depth(), Router: m.router.Stats(), Pub: m.pub.Stats(),
	}
}

// refusedUser counts and logs a command without rights. Operators look for
// these, but a stranger can send as many as there are: one line a second.
func (m *Master) refusedUser(what, user, fun string) {
	m.stats.refused.Add(1)
	now := m.now().Unix()
	level := slog.LevelDebug
	if m.stats.lastWarned.Swap(now) != now {
		level = slog.LevelWarn
	}
	m.log.Log(m.ctx, level, "A command was refused", "cmd", what, "user", user, "fun", fun, "refused", m.stats.refused.Load())
}

// refused counts and logs something that was not allowed. A stranger can cause
// these at will, so they are logged at debug level; the counter tells of them.
func (m *Master) refused(what string, p *zmtp.Peer, err error) {
	m.stats.refused.Add(1)
	if p != nil {
		m.log.Debug("Refused", "what", what, "from", p.RemoteAddr(), "err", err)
		return
	}
	m.log.Warn("Refused", "what", what, "err", err)
}
