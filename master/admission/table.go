package admission

import (
	"time"

	"github.com/momtree/mom/internal/network"
)

// tableOptions is the remedy for a system table of connections that is too small.
const tableOptions = "sysctl net.netfilter.nf_conntrack_max, or a NOTRACK rule for both ports"

var (
	tableFull = Cause{
		Name:   "table/full",
		Text:   "connection tracking table is full, the system drops packets",
		Option: tableOptions,
	}
	tableNearlyFull = Cause{
		Name:   "table/nearly-full",
		Text:   "connection tracking table is nearly full, the system will drop packets",
		Option: tableOptions,
	}
)

// ReadTable reads the counters of the system's table of connections. It does not report drops from
// before the first call.
func (r *Report) ReadTable(t network.Conntrack, now time.Time) {
	r.mu.Lock()
	if _, known := r.counts[tableFull.Name]; !known {
		r.count(tableFull).total = t.Dropped
	}
	about := []any{"used", t.Used, "max", t.Max}
	if t.NearlyFull() { // not a refusal, so not counted by Counts
		r.count(tableNearlyFull).add(1, now, "", about)
	}
	r.mu.Unlock()
	//mutant:full-connection-table-is-logged
	r.Read(tableFull, t.Dropped, now, about...)
}
