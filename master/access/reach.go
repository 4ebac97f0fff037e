package access

import (
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/topology"
)

// Reach is whom a target means, as far as this master knows: what the targets of rules
// are held against.
type Reach struct {
	// Target is the target itself.
	Target target.Expr
	// Minions are own minions that it means or may mean, Subject is what is known of one.
	Minions []string
	Subject func(id string) target.Subject
	// Nodes gives what the nodes right below that the job goes to have reported, each with
	// all below it. It is called for rules with targets alone. nil: there are none.
	Nodes func() []topology.Node
}

// reachOf is the reach of a target that was resolved here. node gives the report of a node
// right below.
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

// tiers holds the target of a rule against all that is known of the tree. Own minions have
// to be meant certainly. Of those behind a node the ids are known: one that is certainly
// meant by the target and certainly not by the rule is refused here, before anything is
// sent, and what depends on grains and pillar is the node's to judge. A node that does not
// tell whom it has, such as one of Salt's, is not trusted to judge: there the target itself
// has to be within the rule.
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

// below judges the minions of one node.
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

// ByTarget tells whether a rule with a target allowed one of the calls: then those alone may
// run the job who were held against it.
func ByTarget(v verdict.Verdict) bool {
	return slices.ContainsFunc(v.Calls, func(c verdict.Call) bool {
		return slices.ContainsFunc(c.Rules, func(r verdict.Rule) bool { return r.Allowed && len(r.Tiers) > 0 })
	})
}

// nodeNamed tells whether a rule names a node of the tree in the place of minions.
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
