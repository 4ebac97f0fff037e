package engine

import (
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
