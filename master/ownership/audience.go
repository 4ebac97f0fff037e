package ownership

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/keys"
)

// Audience is the result of matching a target at this master.
type Audience struct {
	Minions []string // own minions, sorted; one whose data is not known is included if it may be connected
	Missing []string // ids of a list target that are not accepted here, sorted
	Nodes   []engine.Node
	Spared  []string // nodes that certainly have no matching minion
	Expr    target.Expr
	Unsure  []string // those of Minions that may not match, sorted

	// Resources are the resources of own minions that the job runs on, sorted by id. Each
	// returns its own result; its manager is among Minions.
	Resources []Managed
	// Carriers are those of Minions that get the job only for their resources, sorted.
	Carriers []string
}

// Managed is a resource with the minion that manages it.
type Managed struct{ ID, Minion string }

// Nobody reports whether no minion and no node matches.
func (a *Audience) Nobody() bool { return len(a.Minions) == 0 && len(a.Nodes) == 0 }

// Match resolves a target among the accepted keys. A node is not a minion, unless it shares its
// key with one: each node gets the publication and reports its own minions.
func (p *Policy) Match(tgt any, tgtType, delimiter string) (Audience, error) {
	expr, err := target.Parse(tgt, tgtType, target.Options{Delimiter: delimiter, Nodegroups: p.o.Nodegroups})
	if err != nil {
		return Audience{}, fmt.Errorf("target %v: %w", tgt, err)
	}
	a := Audience{Expr: expr}
	if tgtType == "list" {
		for _, id := range Listed(tgt) {
			switch {
			case !p.o.Keys.Accepted(id):
				a.Missing = append(a.Missing, id)
			case p.IsMinion(id) && !p.o.Absent(id):
				a.Minions = append(a.Minions, id)
			}
		}
		sort.Strings(a.Missing)
		a.Missing = slices.Compact(a.Missing)
	} else {
		for _, id := range p.candidates(expr) {
			if !p.IsMinion(id) || p.o.Absent(id) {
				continue
			}
			switch expr.Certain(p.o.Subject(id)) {
			case target.No:
			case target.Unknown:
				if !p.mayHear(id) {
					continue
				}
				a.Unsure = append(a.Unsure, id)
				fallthrough
			case target.Yes:
				a.Minions = append(a.Minions, id)
			}
		}
	}
	sort.Strings(a.Minions)
	a.Minions = slices.Compact(a.Minions)
	slices.Sort(a.Unsure)
	a.Unsure = slices.Compact(a.Unsure)
	p.addResources(&a, tgtType)
	a.Nodes, a.Spared = p.nodesBelow(expr, tgtType == "list", a.Missing)
	return a, nil
}

// mayHear reports whether a minion that may match may be connected. Jobs do not wait for one that
// is not: most such keys never connected.
func (p *Policy) mayHear(id string) bool {
	at := p.o.Presence.Minion(id)
	switch at.Live {
	case engine.Up:
		return true
	case engine.Away:
		return at.Grace > 0
	case engine.Untracked:
		// One that was connected has sent its data, where data is kept.
		return !at.Doubt || at.Arriving || !p.o.KeepsData
	}
	return false
}

// candidates returns the accepted ids that a target can match: those it lists, or all.
func (p *Policy) candidates(expr target.Expr) []string {
	ids, ok := target.Among(expr)
	if !ok {
		return p.o.Keys.List(keys.Accepted)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return !p.o.Keys.Accepted(id) })
}

// Listed returns the ids of a list target, which is a list or a text with commas.
func Listed(tgt any) []string {
	switch t := tgt.(type) {
	case []any:
		out := make([]string, 0, len(t))
		for _, v := range t {
			if s, ok := v.(string); ok {
				out = append(out, s)
			}
		}
		return out
	case string:
		return strings.Split(t, ",")
	}
	return nil
}
