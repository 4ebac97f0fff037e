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

// Audience is what a target means at this master.
type Audience struct {
	Minions []string // own minions, sorted; one without known data counts as a match if it may be connected
	Missing []string // ids of a list target that are not ours, sorted
	Nodes   []engine.Node
	Spared  []string // nodes that certainly have nobody for it
	Expr    target.Expr
	Unsure  []string // those of Minions of whom it is not known whether they are meant, sorted

	// Resources are the resources of own minions that the job runs on, sorted by id. Each of
	// them answers for itself, and its manager is among Minions.
	Resources []Managed
	// Carriers are those of Minions that get the job for their resources alone, sorted.
	Carriers []string
}

// Managed is a resource with the minion that manages it.
type Managed struct{ ID, Minion string }

// Nobody tells that no minion and no node is meant.
func (a *Audience) Nobody() bool { return len(a.Minions) == 0 && len(a.Nodes) == 0 }

// Match resolves a target among the accepted keys. Nodes are no minions, but for those
// that share their key with one: each known node gets every publication and answers for
// its own part.
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
	p.meetResources(&a, tgtType)
	a.Nodes, a.Spared = p.nodesBelow(expr, tgtType == "list", a.Missing)
	return a, nil
}

// mayHear reports whether a minion may be connected of which it is not known whether a target
// means it. One that is not is not waited for: most are keys that never connected, and it could
// not answer either way.
func (p *Policy) mayHear(id string) bool {
	at := p.o.Presence.Minion(id)
	switch at.Live {
	case engine.Up:
		return true
	case engine.Away:
		return at.Grace > 0
	case engine.Untracked:
		// One that was here has told its data, where that is kept.
		return !at.Doubt || at.Arriving || !p.o.KeepsData
	}
	return false
}

// candidates gives the accepted ids that a target may mean: those that it names, if it
// can mean no others, else all.
func (p *Policy) candidates(expr target.Expr) []string {
	ids, ok := target.Among(expr)
	if !ok {
		return p.o.Keys.List(keys.Accepted)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return !p.o.Keys.Accepted(id) })
}

// Listed gives the ids of a list target: a list, or text with commas.
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
