package admission

import (
	"time"

	"github.com/momtree/mom/internal/conntrack"
)

// tableOptions is what helps where the system's table of connections is too small.
const tableOptions = "sysctl net.netfilter.nf_conntrack_max, or a NOTRACK rule for both ports"

var (
	tableFull = Cause{
		Name:   "table/full",
		Text:   "system drops packets: its connection table is full",
		Option: tableOptions,
	}
	tableNearlyFull = Cause{
		Name:   "table/nearly-full",
		Text:   "connection table of the system nearly full",
		Option: tableOptions,
	}
)

// ReadTable takes over what the system tells of its table of connections. What was
// dropped before the first call is not told.
func (r *Report) ReadTable(t conntrack.Table, now time.Time) {
	r.mu.Lock()
	if _, known := r.counts[tableFull.Name]; !known {
		r.count(tableFull).total = t.Dropped
	}
	about := []any{"used", t.Used, "max", t.Max}
	if t.NearlyFull() { // not an event of its own, so not among the counts
		r.count(tableNearlyFull).add(1, now, "", about)
	}
	r.mu.Unlock()
	//mutant:full-connection-table-is-logged
	r.Read(tableFull, t.Dropped, now, about...)
}
