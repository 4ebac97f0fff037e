package access

import (
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/topology"
)

// Reach is what a target matches, as far as this master knows; it is compared with the targets of
// rules.
type Reach struct {
	// Target is the target itself.
	Target target.Expr
	// Minions are own minions that match or may match, Subject returns the known data of one.
	Minions []string
	Subject func(id string) target.Subject
	// Nodes returns the last reports of the child nodes that the job goes to. It is called for
	// rules with targets only; may be nil without child nodes.
	Nodes func() []topology.Node
}

// reachOf returns the reach of a target resolved here. node returns the last report of a child node.
func reachOf(a ownership.Audience, subject func(id string) target.Subject, node func(id string) (topology.Node, bool)) Reach {
	return Reach{Target: a.Expr, Minions: a.Minions, Subject: subject, Nodes: func() []topology.Node {
		out := make([]topology.Node, 0, len(a.Nodes))
		for _, n := range a.Nodes {
			below, _ := node(n.ID)
			below.ID = n.ID // also of one that has not reported: it has no version then
			out = append(out, below)
		}
		return out
	}}
}

// tiers compares the target of a rule with everything known of the tree. Own minions must match
// certainly. Of minions behind a node the ids are known: if one certainly matches the target and not
// the rule, the job is refused here; what depends on grains and pillar is left to the node. A node
// that does not report its minions, such as one of Salt, is not trusted to check: there the target
// itself must be within the rule.
func (r Reach) tiers(to target.Expr) []verdict.Tier {
	own := verdict.Tier{Meant: len(r.Minions)}
	for _, id := range r.Minions {
		if to.Certain(r.Subject(id)) != target.Yes {
			outside(&own, id)
		}
	}
	own.Allowed = own.OutsideAll == 0
	out := []verdict.Tier{own}
	if r.Nodes == nil {
		return out
	}
	for _, below := range r.Nodes() {
		below.Walk(func(path string, n topology.Node) {
			t := r.below(n, to)
			if t.Path = below.ID; path != "" {
				t.Path += "/" + path
			}
			if t.Blind || t.Meant > 0 {
				out = append(out, t)
			}
		})
	}
	return out
}

// below compares the minions of one node.
func (r Reach) below(n topology.Node, to target.Expr) verdict.Tier {
	if n.Version == "" || n.Blind {
		return verdict.Tier{Blind: true, Allowed: target.Within(r.Target, to)}
	}
	var t verdict.Tier
	for _, m := range n.Minions {
		meant, ruled := r.Target.Certain(target.ID(m.ID)), to.Certain(target.ID(m.ID))
		if meant == target.No {
			continue
		}
		switch t.Meant++; {
		case ruled == target.Yes:
		case meant == target.Yes && ruled == target.No:
			outside(&t, m.ID)
		default:
			t.Open++
		}
	}
	t.Allowed = t.OutsideAll == 0
	return t
}

func outside(t *verdict.Tier, id string) {
	if t.OutsideAll++; len(t.Outside) < verdict.Names {
		t.Outside = append(t.Outside, id)
	}
}

// ByTarget reports whether a rule with a target allowed one of the calls: then only minions compared
// with it may run the job.
func ByTarget(v verdict.Verdict) bool {
	return slices.ContainsFunc(v.Calls, func(c verdict.Call) bool {
		return slices.ContainsFunc(c.Rules, func(r verdict.Rule) bool { return r.Allowed && len(r.Tiers) > 0 })
	})
}

// nodeNamed reports whether a rule names a node of the tree as if it were a minion.
func (r Reach) nodeNamed(to target.Expr) (id string, ok bool) {
	ids, exact := target.Exact(to)
	if !exact || r.Nodes == nil {
		return "", false
	}
	for _, below := range r.Nodes() {
		below.Walk(func(_ string, n topology.Node) {
			if slices.Contains(ids, n.ID) {
				id, ok = n.ID, true
			}
		})
	}
	return id, ok
}
