package engine

import (
	"sort"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// Summary is a short account of an open job. Its cost does not grow with the returns.
type Summary struct {
	JID, Fun                            string
	Opened                              time.Time
	Expected, Returned, Failed, Missing int
	// Waiting is the number of pending minions.
	Waiting int
	// For holds the paths of some of them, sorted.
	For []string
	// Nodes holds the nodes whose expectation is due, sorted.
	Nodes []string
	// Held means that no minion is pending but a Python syndic may still report.
	Held bool
}

// Summaries returns the open jobs, the newest first: at most limit, each with at most names
// pending minions. total is the number of open jobs.
func (l *ledger) Summaries(limit, names int) (out []Summary, total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var open []*job
	for _, j := range l.jobs {
		if j.closed.IsZero() {
			open = append(open, j)
		}
	}
	sort.Slice(open, func(a, b int) bool { return open[a].JID > open[b].JID })
	total = len(open)
	for _, j := range open[:min(limit, total)] {
		out = append(out, j.summary(names))
	}
	return out, total
}

func (j *job) summary(names int) Summary {
	s := Summary{
		JID: j.JID, Fun: j.Fun, Opened: j.opened, Expected: len(j.entries) + j.good + j.bad, Returned: j.good, Failed: j.bad,
		Waiting: j.pending, Missing: len(j.entries) - j.pending, Held: j.pending == 0 && j.nodesAsked == 0,
	}
	if j.pending > 0 {
		for id, e := range j.entries {
			if len(s.For) == min(names, j.pending) {
				break
			}
			if e.phase.pending() {
				if e.path != "" {
					id = e.path + "/" + id
				}
				s.For = append(s.For, id)
			}
		}
		sort.Strings(s.For)
	}
	for path, n := range j.nodes {
		if n.state == jobevent.NodeAsked {
			s.Nodes = append(s.Nodes, path)
		}
	}
	sort.Strings(s.Nodes)
	return s
}
