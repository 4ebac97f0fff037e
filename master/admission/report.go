package admission

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/network"
	"github.com/momtree/mom/internal/zmtp"
)

// ReportEvery is the least time between two log lines for one cause.
const ReportEvery = time.Minute

// Cause is a reason for refusals.
type Cause struct {
	Name   string // unique
	Text   string // for the log
	Option string // the option to raise or set, or ""
}

// Report logs refusals at the ports: each cause once a minute, with a count. Strangers can cause
// all of them at will, so single occurrences are not logged.
type Report struct {
	log *slog.Logger

	mu     sync.Mutex
	counts map[string]*count
}

// count holds the occurrences of one cause.
type count struct {
	cause   Cause
	total   uint64 // last value passed to Read
	noted   bool
	pending uint64 // occurrences since the last log line
	all     uint64
	ids     []string // the first pending ones
	about   []any    // of the last one
	logged  time.Time
	since   time.Time // of the first pending one
}

// NewReport returns an empty report.
func NewReport(log *slog.Logger) *Report { return &Report{log: log, counts: map[string]*count{}} }

// maxNamed bounds the ids in one log line.
const maxNamed = 5

// maxShown bounds an id in the log, in bytes.
const maxShown = 128

// Note counts a refusal of the peer id, which may be "". about holds log attributes; those of the
// last call are logged.
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

// add counts n occurrences. The caller holds r.mu.
func (k *count) add(n uint64, now time.Time, id string, about []any) {
	if k.pending == 0 {
		k.since = now
	}
	k.pending += n
	k.all += n
	k.about = about
	if id != "" && len(k.ids) < maxNamed && !slices.Contains(k.ids, id) {
		k.ids = append(k.ids, id)
	}
}

// count returns the count of a cause. The caller holds r.mu.
func (r *Report) count(c Cause) *count {
	k := r.counts[c.Name]
	if k == nil {
		k = &count{cause: c}
		r.counts[c.Name] = k
	}
	return k
}

// Read counts the increase of an external counter since the last call.
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

// Counts returns the occurrences by cause, without those from external counters.
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

// Flush logs the causes that were not logged for a minute. Call it about once a second.
func (r *Report) Flush(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range r.counts {
		passed := now.Sub(k.logged)
		//mutant:denials-share-log-lines
		if k.pending == 0 || !k.logged.IsZero() && passed >= 0 && passed < ReportEvery {
			continue
		}
		about := []any{"count", k.pending, "within", now.Sub(k.since).Round(time.Second), "total", k.all}
		if k.cause.Option != "" {
			about = append(about, "hint", k.cause.Option)
		}
		if len(k.ids) > 0 {
			about = append(about, "ids", k.ids)
		}
		r.log.Warn(k.cause.Text, append(about, k.about...)...) //nolint:sloglint // constant in each caller
		k.pending, k.logged, k.ids, k.about = 0, now, nil, nil
	}
}

// FlushPorts reads the counters of both ports and of the system's connection table, and calls
// Flush. maxConnections is 0 if it is not set.
func (r *Report) FlushPorts(router, pub zmtp.HostStats, maxConnections int, now time.Time) {
	limit := "max_connections"
	if maxConnections == 0 {
		limit = "max_open_files, and the hard limit of open files (systemd: LimitNOFILE)"
	}
	r.ReadSocket("router", router, limit, now)
	r.ReadSocket("pub", pub, limit, now)
	if t, ok := network.ReadConntrack(); ok {
		r.ReadTable(t, now)
	}
	r.Flush(now)
}

// ReadSocket reads the counters of one port. limit names the option that bounds connections.
func (r *Report) ReadSocket(socket string, s zmtp.HostStats, limit string, now time.Time) {
	for _, x := range []struct {
		name, text, option string
		n                  uint64
	}{
		{"full", "connections refused, limit reached", limit, s.RefusedFull},
		{"address", "connections refused, limit per address reached", "max_connections_per_address", s.RefusedAddr},
		{"evicted", "idle connections closed during handshake", "max_handshakes", s.Evicted},
		{"accept", "connections not accepted, no file descriptors or memory", "max_open_files, and the hard limit of open files (systemd: LimitNOFILE)", s.AcceptErrors},
		{"frame", "connections closed, invalid or oversized frame", "max_frame_size, max_frame_size_untrusted", s.CutFrame},
		{"late", "connections closed, message not received in time", "frame_timeout", s.CutLate},
		{"budget", "connections closed, no memory for their requests in time", "max_request_bytes", s.CutBudget},
		{"idle", "idle unauthenticated connections closed for new ones", limit, s.CutIdle},
		{"slow", "connections closed, peer reads too slowly", "pub_hwm, pub_hwm_bytes", s.CutSlow},
		{"stalled", "connections closed, peer stopped reading", "stall_timeout", s.CutStalled},
	} {
		r.Read(Cause{Name: socket + "/" + x.name, Text: x.text, Option: x.option}, x.n, now, "socket", socket)
	}
}
