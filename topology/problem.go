package topology

import (
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Kind is the kind of a problem.
type Kind string

// The kinds of problems.
const (
	Loop            Kind = "loop"             // a node is its own ancestor
	DuplicateNode   Kind = "duplicate-node"   // one id, two nodes
	DuplicateMinion Kind = "duplicate-minion" // one minion connected to two nodes; a note
	ClockSkew       Kind = "clock-skew"
	VersionSkew     Kind = "version-skew"
	Partition       Kind = "partition" // gossip and connection disagree
	NodeDown        Kind = "down"
	MinionsDown     Kind = "minions-down" // minions of one node; names some of them
	Backlog         Kind = "backlog"      // old rows in the outbox
	Degraded        Kind = "degraded"     // works, but not as configured
	StaleJob        Kind = "stale-job"    // open, but its minions show no sign of it
)

// Note reports whether the kind is informational: a minion may have several masters.
func (k Kind) Note() bool { return k == DuplicateMinion }

// Problem is a condition that an operator should know about.
type Problem struct {
	Kind   Kind
	Path   string // of the node or minion, from the top, joined by "/"
	Detail string // what was seen, and what to do
	Since  time.Time
	tier   int // see Here
}

// Here reports whether this tree's node is the lowest that can see the problem, so that only one
// node reports it. A problem of a node itself is reported by its parent.
func (p Problem) Here() bool { return p.tier == 0 }

// maxOwnProblems bounds the problems of this node.
const maxOwnProblems = 100

func problemsWire(ps []Problem) []any {
	out := make([]any, 0, len(ps))
	for _, p := range ps {
		out = append(out, p.Map())
	}
	return out
}

// Map encodes the problem for runners and reports.
func (p Problem) Map() *value.Map {
	return wire.NewMap("kind", string(p.Kind), "path", p.Path, "detail", p.Detail, "since", p.Since.UTC().Format(time.RFC3339Nano))
}

func problemsFrom(list []any) (out []Problem) {
	for _, v := range list {
		m, ok := v.(*wire.Map)
		if !ok || len(out) == maxOwnProblems || m.String("kind") == "" {
			continue
		}
		p := Problem{Kind: Kind(m.String("kind")), Path: m.String("path"), Detail: m.String("detail")}
		p.Since, _ = time.Parse(time.RFC3339Nano, m.String("since"))
		out = append(out, p)
	}
	return out
}
