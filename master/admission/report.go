package admission

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/conntrack"
	"github.com/momtree/mom/internal/zmtp"
)

// ReportEvery is how often the operator is told of one cause.
const ReportEvery = time.Minute

// Cause is why the door has turned something away.
type Cause struct {
	Name   string // unique
	Text   string // for the log
	Option string // what may be raised or set; "": nothing helps
}

// Report tells the operator what the door turns away: each cause once a minute, with
// how often it was. Strangers can cause all of it at will, so nothing is told per
// occurrence.
type Report struct {
	log *slog.Logger

	mu     sync.Mutex
	counts map[string]*count
}

// count is what happened for one cause.
type count struct {
	cause  Cause
	total  uint64 // read so far, of those that are read as totals
	noted  bool
	untold uint64
	all    uint64
	ids    []string // the first that are untold
	about  []any    // of the last
	told   time.Time
	since  time.Time // of the first untold
}

// NewReport has seen nothing yet.
func NewReport(log *slog.Logger) *Report { return &Report{log: log, counts: map[string]*count{}} }

// maxNamed is how many of those that were turned away are named in one line.
const maxNamed = 5

// maxShown bounds a name in the log, in bytes.
const maxShown = 128

// Note counts one, of the peer with that id; "" if it has none. about, alternating
// names and values for the log, is kept of the last.
func (r *Report) Note(c Cause, now time.Time, id string, about ...any) {
	if len(id) > maxShown {
		id = id[:maxShown] + "..."
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.count(c)
	k.noted = true
	k.add(1, now, id, about)
}

// add counts some more; r.mu is held.
func (k *count) add(n uint64, now time.Time, id string, about []any) {
	if k.untold == 0 {
		k.since = now
	}
	k.untold += n
	k.all += n
	k.about = about
	if id != "" && len(k.ids) < maxNamed && !slices.Contains(k.ids, id) {
		k.ids = append(k.ids, id)
	}
}

// count finds the count of a cause; r.mu is held.
func (r *Report) count(c Cause) *count {
	k := r.counts[c.Name]
	if k == nil {
		k = &count{cause: c}
		r.counts[c.Name] = k
	}
	return k
}

// Read takes over a counter that counts by itself.
func (r *Report) Read(c Cause, total uint64, now time.Time, about ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.count(c)
	n := total - k.total
	k.total = total
	if n > 0 {
		k.add(n, now, "", about)
	}
}

// Counts gives how often each cause has occurred, of those that were noted here: what
// counts by itself is left out.
func (r *Report) Counts() map[string]uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make(map[string]uint64, len(r.counts))
	for name, k := range r.counts {
		if k.noted {
			out[name] = k.all
		}
	}
	return out
}

// Tell logs what is due: what has not been told for a minute. It is called once a
// second or so.
func (r *Report) Tell(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.counts {
		passed := now.Sub(k.told)
		//mutant:denials-share-log-lines
		if k.untold == 0 || !k.told.IsZero() && passed >= 0 && passed < ReportEvery {
			continue
		}
		about := []any{"count", k.untold, "within", now.Sub(k.since).Round(time.Second), "total", k.all}
		if k.cause.Option != "" {
			about = append(about, "hint", k.cause.Option)
		}
		if len(k.ids) > 0 {
			about = append(about, "ids", k.ids)
		}
		r.log.Warn(k.cause.Text, append(about, k.about...)...) //nolint:sloglint // constant in each caller
		k.untold, k.told, k.ids, k.about = 0, now, nil, nil
	}
}

// TellPorts is Tell with what both ports refuse, cut or drop, and what the system drops
// before it comes to them. max_connections is 0 if it is not set.
func (r *Report) TellPorts(router, pub zmtp.HostStats, maxConnections int, now time.Time) {
	limit := "max_connections"
	if maxConnections == 0 {
		limit = "max_open_files, and the hard limit of open files (systemd: LimitNOFILE)"
	}
	r.ReadSocket("router", router, limit, now)
	r.ReadSocket("pub", pub, limit, now)
	if t, ok := conntrack.Read(); ok {
		r.ReadTable(t, now)
	}
	r.Tell(now)
}

// ReadSocket takes over what one port counts. limit names what bounds connections.
func (r *Report) ReadSocket(socket string, s zmtp.HostStats, limit string, now time.Time) {
	for _, x := range []struct {
		name, text, option string
		n                  uint64
	}{
		{"full", "connections refused: too many are open", limit, s.RefusedFull},
		{"address", "connections refused: too many from one address", "max_connections_per_address", s.RefusedAddr},
		{"evicted", "closed idle connections during handshake", "max_handshakes", s.Evicted},
		{"accept", "connections not accepted: no descriptors or memory left", "max_open_files, and the hard limit of open files (systemd: LimitNOFILE)", s.AcceptErrors},
		{"frame", "connections closed: invalid or oversized frame", "max_frame_size, max_frame_size_untrusted", s.CutFrame},
		{"late", "connections closed: message too slow", "frame_timeout", s.CutLate},
		{"budget", "connections closed: no memory for their requests", "max_request_bytes", s.CutBudget},
		{"idle", "closed idle connections of strangers: no room for others", limit, s.CutIdle},
		{"slow", "connections closed: peer reads too slowly", "pub_hwm, pub_hwm_bytes", s.CutSlow},
		{"stalled", "connections closed: peer stopped reading", "stall_timeout", s.CutStalled},
	} {
		r.Read(Cause{Name: socket + "/" + x.name, Text: x.text, Option: x.option}, x.n, now, "socket", socket)
	}
}
