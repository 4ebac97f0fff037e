package engine

import (
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/returners"
)

// Absent gives who does not answer a job by what is stored of it, and why. A minion may be in
// the rows of several nodes, where several ways lead to it or it has moved: who is queued for
// over one of them, and by the row of another one is not, is not.
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
