package treewatch

import (
	"context"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// vitalsWait bounds the reads of the outbox; vitalsJobs bounds the open jobs whose waiting minions
// are counted.
const (
	vitalsWait = 3 * time.Second
	vitalsJobs = 1000
)

// Vitals reads the figures of a master from its parts.
type Vitals struct {
	// Addr returns the address of the request port.
	Addr  func() string
	Keys  interface{ List(keys.State) []string }
	Nodes interface {
		IsMinion(id string) bool
		Nodes() []string
	}
	Presence interface {
		Connected() int
		Node(id string) (engine.Liveness, time.Duration)
	}
	Ledger interface {
		Summaries(limit, names int) ([]engine.Summary, int)
	}
	Outbox interface {
		OutboxDests() map[string]int64
		OutboxDepth(ctx context.Context, dest string) (rows int64, oldest time.Time, err error)
	}
	Log *slog.Logger
	Now func() time.Time
}

// Read returns this master's figures. The cost is that of listing keys and open jobs.
func (p Vitals) Read(ctx context.Context, started time.Time) topology.Vitals {
	v := topology.Vitals{Addr: p.Addr(), Started: started, Connected: p.Presence.Connected(), Load: load(), Memory: residentBytes()}
	for _, id := range p.Keys.List(keys.Accepted) {
		if p.Nodes.IsMinion(id) {
			v.Accepted++
		}
	}
	for _, id := range p.Nodes.Nodes() {
		if live, _ := p.Presence.Node(id); live == engine.Up {
			v.Connected--
		}
	}
	v.Connected = max(v.Connected, 0)
	jobs, total := p.Ledger.Summaries(vitalsJobs, 0)
	v.Jobs = total
	for _, j := range jobs {
		v.Working += j.Waiting
	}
	look, cancel := context.WithTimeout(ctx, vitalsWait)
	defer cancel()
	var oldest time.Time
	for dest := range p.Outbox.OutboxDests() {
		if dest != returners.DestMySQL && !returners.IsEvents(dest) && !returners.IsParent(dest) {
			continue
		}
		rows, since, err := p.Outbox.OutboxDepth(look, dest)
		if err != nil {
			if ctx.Err() == nil {
				p.Log.Warn("pending returns not counted", "to", dest, "err", err)
			}
			continue
		}
		v.Pending += int(rows)
		if !since.IsZero() && (oldest.IsZero() || since.Before(oldest)) {
			oldest = since
		}
	}
	if !oldest.IsZero() {
		v.PendingAge = max(p.Now().Sub(oldest), 0).Round(time.Second)
	}
	return v
}

// load returns the load average over one minute, or 0 if it is not known.
func load() float64 {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(b), " ")
	x, _ := strconv.ParseFloat(first, 64)
	return x
}

// residentBytes returns the memory of this process in bytes, or 0 if it is not known.
func residentBytes() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(f[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
