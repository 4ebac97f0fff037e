package topology

import (
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Vitals are the metrics that a node reports about itself. Zero means unknown.
type Vitals struct {
	Addr       string        // host:port of its request port, as its children reach it
	Started    time.Time     // start of this run
	Accepted   int           // minions whose keys it has accepted
	Connected  int           // minions connected now
	Working    int           // minions that have not answered an open job
	Jobs       int           // open jobs
	Pending    int           // outbox rows, for parents and SQL
	PendingAge time.Duration // age of the oldest of them
	Lag        time.Duration // round trip of the last report to its parent
	Load       float64       // load average of the machine over one minute
	Skew       time.Duration // its clock minus its parent's, measured by the parent
	Memory     int64         // resident memory in bytes
}

// Map encodes the known vitals for reports; durations are in nanoseconds.
func (v Vitals) Map() *value.Map { return v.wire() }

// Figures returns the node's vitals. If its minions are known they are counted again: vitals are
// reported less often than changes.
func (n Node) Figures() Vitals {
	v := n.Vitals
	if len(n.Minions) == 0 || v == (Vitals{}) {
		return v
	}
	v.Accepted, v.Connected = len(n.Minions), 0
	unknown := false
	for _, m := range n.Minions {
		if m.State == Up {
			v.Connected++
		}
		unknown = unknown || m.State == Unknown
	}
	if unknown { // Python minions: the node's own count is better
		v.Connected = max(v.Connected, n.Vitals.Connected)
	}
	return v
}

// Fields of the figures of the outbox in a report.
const (
	keyPending    = "owed"
	keyPendingAge = "owed_age" // nanoseconds
)

func (v Vitals) wire() *wire.Map {
	m := wire.NewMap()
	add := func(key string, value any, known bool) {
		if known {
			m.Set(key, value)
		}
	}
	add("addr", v.Addr, v.Addr != "")
	add("started", v.Started.UTC().Format(time.RFC3339Nano), !v.Started.IsZero())
	add("load", v.Load, v.Load != 0)
	for key, n := range map[string]int64{
		"accepted": int64(v.Accepted), "connected": int64(v.Connected), "working": int64(v.Working), "jobs": int64(v.Jobs),
		keyPending: int64(v.Pending), keyPendingAge: int64(v.PendingAge), "lag": int64(v.Lag), "skew": int64(v.Skew), "memory": v.Memory,
	} {
		add(key, n, n != 0)
	}
	return m
}

func vitalsFrom(m *wire.Map) Vitals {
	if m == nil {
		return Vitals{}
	}
	v := Vitals{Addr: m.String("addr")}
	v.Started, _ = time.Parse(time.RFC3339Nano, m.String("started"))
	number := func(key string) int64 {
		x, _ := m.Get(key)
		switch n := x.(type) {
		case int64:
			return n
		case uint64:
			return int64(n)
		case int:
			return int64(n)
		}
		return 0
	}
	x, _ := m.Get("load")
	v.Load, _ = x.(float64)
	v.Accepted, v.Connected, v.Working = int(number("accepted")), int(number("connected")), int(number("working"))
	v.Jobs, v.Pending, v.Memory = int(number("jobs")), int(number(keyPending)), number("memory")
	v.PendingAge, v.Lag, v.Skew = time.Duration(number(keyPendingAge)), time.Duration(number("lag")), time.Duration(number("skew"))
	return v
}
