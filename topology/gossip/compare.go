package gossip

import (
	"fmt"
	"time"

	"github.com/momtree/mom/topology"
)

// grace is how long gossip and connections may differ before it counts as a problem: one detects a
// dead node sooner than the other.
const grace = 30 * time.Second

// Edge is the state of a direct parent or child, known first-hand.
type Edge struct {
	ID    string
	Up    bool
	Since time.Time
}

// Compare returns the differences between gossip and this node's own connections. Both ends of a
// connection compare, so both report a partition. Ids never seen in gossip are no problem: it may
// not reach everywhere.
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
		case !heard || now.Sub(e.Since) < grace || now.Sub(s.Since) < grace:
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
