package engine

import (
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// Absent returns the missing minions of a job from its stored rows. A minion that several nodes
// report may be queued at one and missing at another; the latter wins.
func Absent(xs []returners.Expectation) map[string]jobevent.Absence {
	out := map[string]jobevent.Absence{}
	for _, x := range xs {
		for id, why := range x.Missing {
			if why == Unmatched {
				continue
			}
			//mutant:engine-other-way-says-more
			if old, known := out[id]; known && why == Queued && old.Reason != Queued {
				continue
			}
			out[id] = jobevent.Absence{Reason: why, Path: x.Node}
		}
	}
	return out
}

// missingAt holds the reasons of missing minions by path and id.
type missingAt map[string]map[string]string

func (m missingAt) add(path, id, reason string) {
	if m[path] == nil {
		m[path] = map[string]string{}
	}
	m[path][id] = reason
}

// rows returns the rows that store m and the states of nodes, one per path.
func (m missingAt) rows(jid string, nodes map[string]jobevent.NodeState, at time.Time) []returners.Expectation {
	out := make([]returners.Expectation, 0, len(m))
	for _, path := range sorted(m) {
		out = append(out, returners.Expectation{JID: jid, Node: path, Missing: m[path], State: string(nodes[path]), At: at})
	}
	return out
}

// absenceRows returns the rows that store missing minions and failed nodes, one per path.
func absenceRows(jid string, gone map[string]jobevent.Absence, nodes map[string]jobevent.NodeState, at time.Time) []returners.Expectation {
	m := missingAt{}
	for path := range nodes {
		m[path] = map[string]string{}
	}
	for id, g := range gone {
		m.add(g.Path, id, g.Reason)
	}
	return m.rows(jid, nodes, at)
}
