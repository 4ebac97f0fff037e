package topology

import (
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Kind says what is wrong.
type Kind string

// The kinds of problems.
const (
	Loop            Kind = "loop"             // a node is its own ancestor
	DuplicateNode   Kind = "duplicate-node"   // one id, two nodes
	DuplicateMinion Kind = "duplicate-minion" // one minion connected to two nodes; a note
	ClockSkew       Kind = "clock-skew"
	VersionSkew     Kind = "version-skew"
	Partition       Kind = "partition" // known by gossip, not by the edge, or the other way round
	NodeDown        Kind = "down"
	MinionsDown     Kind = "minions-down" // of one node; names some of them
	Backlog         Kind = "backlog"      // the outbox grows old
	Degraded        Kind = "degraded"     // works, but not as configured
	StaleJob        Kind = "stale-job"    // open, and who has to answer gives no sign of it
)

// Note reports whether what is told is worth knowing and need not be wrong: a minion may have
// several masters.
func (k Kind) Note() bool { return k == DuplicateMinion }

// Problem is something an operator should know about the tree.
type Problem struct {
	Kind   Kind
	Path   string // of the node or minion, from the top down, joined by "/"
	Detail string // a sentence that says what was seen and what to do
	Since  time.Time
	tier   int // see Here
}

// Here tells whether the node whose tree this was found in is the lowest that can
// see it, so that of all nodes above only one tells it. What a node sees of itself
// is its parent's to tell.
func (p Problem) Here() bool { return p.tier == 0 }

// maxTold bounds the problems that one node tells of itself.
const maxTold = 100

func problemsWire(ps []Problem) []any {
	out := make([]any, 0, len(ps))
	for _, p := range ps {
		out = append(out, p.Map())
	}
	return out
}

// Map gives the problem in the form in which runners and reports tell it.
func (p Problem) Map() *value.Map {
	return wire.NewMap("kind", string(p.Kind), "path", p.Path, "detail", p.Detail, "since", p.Since.UTC().Format(time.RFC3339Nano))
}

func problemsFrom(list []any) (out []Problem) {
	for _, v := range list {
		m, ok := v.(*wire.Map)
		if !ok || len(out) == maxTold || m.String("kind") == "" {
			continue
		}
		p := Problem{Kind: Kind(m.String("kind")), Path: m.String("path"), Detail: m.String("detail")}
		p.Since, _ = time.Parse(time.RFC3339Nano, m.String("since"))
		out = append(out, p)
	}
	return out
}
