package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// A job that another top of the same cluster publishes has an account here too. Its nodes report to
// both tops. See [Job.StandBy].

// standBy sets the deadline by which the nodes must have reported a publication of another top.
func (j *job) standBy(wait time.Duration, now time.Time) {
	if wait > 0 {
		j.takeOver = now.Add(wait)
		j.wake(j.takeOver)
	}
}

// expireStandBy collects the nodes that have not reported by that deadline.
func (j *job) expireStandBy(now time.Time, n *changes) {
	switch {
	case j.takeOver.IsZero():
	case j.takeOver.After(now):
		j.wake(j.takeOver)
	default:
		j.takeOver = time.Time{}
		n.takeOver = true
		for path, nd := range j.nodes {
			//mutant:engine-takes-over-silent-nodes
			if nd.state == jobevent.NodeAsked && !strings.Contains(path, "/") {
				n.silent = append(n.silent, path)
			}
		}
		slices.Sort(n.silent)
	}
}
