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

// vitalsWait bounds the look at the outbox, and vitalsJobs the open jobs whose
// minions at work are counted.
const (
	vitalsWait = 3 * time.Second
	vitalsJobs = 1000
)

// Vitals are the parts of a master that its figures are read from.
type Vitals struct {
	// Addr is where the request port is reached.
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

// StateOf is how the tree shows what presence says of a peer.
func StateOf(l engine.Liveness) topology.State {
	switch l {
	case engine.Up:
		return topology.Up
	case engine.Untracked:
		return topology.Unknown
	}
	return topology.Down
}

// Read gives this master's figures. It costs what listing the keys and the open
// jobs does.
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
		if dest != returners.DestMySQL && !returners.IsParent(dest) {
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

// load is the machine's load average over one minute; 0 where it is not told.
func load() float64 {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(b), " ")
	x, _ := strconv.ParseFloat(first, 64)
	return x
}

// residentBytes is the memory of this process in bytes; 0 where it is not told.
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
