package topology

import "time"

// Kind says what is wrong.
type Kind string

// The kinds of problems.
const (
	Loop            Kind = "loop"             // a node is its own ancestor
	DuplicateNode   Kind = "duplicate-node"   // one id, two nodes
	DuplicateMinion Kind = "duplicate-minion" // one minion connected to two nodes
	ClockSkew       Kind = "clock-skew"
	VersionSkew     Kind = "version-skew"
	Partition       Kind = "partition" // known by gossip, not by the edge, or the other way round
	NodeDown        Kind = "down"
	Backlog         Kind = "backlog"  // the outbox grows old
	Degraded        Kind = "degraded" // works, but not as configured
)

// Problem is something an operator should know about the tree.
type Problem struct {
	Kind   Kind
	Path   string // of the node or minion, from the top down, joined by "/"
	Detail string // a sentence that says what was seen and what to do
	Since  time.Time
}
