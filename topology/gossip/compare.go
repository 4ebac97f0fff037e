package gossip

import (
	"fmt"
	"time"

	"github.com/momtree/mom/topology"
)

// patience is for how long gossip and the edges may differ before it is a
// problem: a node that has just died is missed by one sooner than by the other.
const patience = 30 * time.Second

// Edge is what this node knows first-hand of a node right above or below it.
type Edge struct {
	ID    string
	Up    bool
	Since time.Time
}

// Compare tells where gossip and this node's own edges differ. Each side of an
// edge does so by itself, so a partition is told on both. ids that gossip has
// never heard are no problem: it may not pass everywhere.
func Compare(seen []Seen, edges []Edge, now time.Time) (out []topology.Problem) {
	byID := make(map[string]Seen, len(seen))
	for _, s := range seen {
		byID[s.ID] = s
		if s.Lives > 1 {
			out = append(out, topology.Problem{
				Kind: topology.DuplicateNode, Path: s.ID,
				Detail: fmt.Sprintf("%d programs gossip as %s; give each its own `id`", s.Lives, s.ID),
			})
		}
		if s.Strange {
			out = append(out, topology.Problem{
				Kind: topology.Degraded, Path: s.ID,
				Detail: fmt.Sprintf("gossip of %s under a strange key is refused; if its key was changed, take it out of the pinned keys", s.ID),
			})
		}
	}
	for _, e := range edges {
		s, heard := byID[e.ID]
		switch {
		case !heard || now.Sub(e.Since) < patience || now.Sub(s.Since) < patience:
		case s.Alive && !e.Up:
			out = append(out, topology.Problem{
				Kind: topology.Partition, Path: e.ID,
				Detail: fmt.Sprintf("%s is alive by gossip, but not connected here: look at ports %s and the routes between", e.ID, "publish_port and ret_port"),
			})
		case !s.Alive && e.Up:
			out = append(out, topology.Problem{
				Kind: topology.Partition, Path: e.ID,
				Detail: fmt.Sprintf("%s is connected, but gossip does not reach it: look at the port of topology_gossip_listen (TCP and UDP)", e.ID),
			})
		}
	}
	return out
}
