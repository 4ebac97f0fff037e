package master

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ledger"
)

// audience is what a target means at this master.
type audience struct {
	minions []string // own minions, sorted; lacking data counts as a match
	missing []string // ids of a list target that are not ours, sorted
	nodes   []ledger.Node
	spared  []string // nodes that certainly have nobody for it
	expr    target.Expr
}

// match resolves a target among the accepted keys. Nodes are no minions, but for those
// that share their key with one: each known node gets every publication and answers for
// its own part.
func (m *Master) match(tgt any, tgtType, delimiter string) (audience, error) {
	expr, err := target.Parse(tgt, tgtType, target.Options{Delimiter: delimiter, Nodegroups: m.cfg.Nodegroups})
	if err != nil {
		return audience{}, fmt.Errorf("target %v: %w", tgt, err)
	}
	a := audience{expr: expr}
	if tgtType == "list" {
		for _, id := range listed(tgt) {
			switch {
			case !m.keys.Accepted(id):
				a.missing = append(a.missing, id)
			case m.isMinion(id) && !m.failover.Absent(id):
				a.minions = append(a.minions, id)
			}
		}
		sort.Strings(a.missing)
		a.missing = slices.Compact(a.missing)
	} else {
		for _, id := range m.candidates(expr) {
			if m.isMinion(id) && !m.failover.Absent(id) && expr.Certain(m.data.Subject(id)) != target.No {
				a.minions = append(a.minions, id)
			}
		}
	}
	sort.Strings(a.minions)
	a.minions = slices.Compact(a.minions)
	a.nodes, a.spared = m.nodesBelow(expr, tgtType == "list", a.missing)
	return a, nil
}

// isMinion tells whether an accepted id has to answer itself: that of a node does where a
// minion stands beside it under the same key.
func (m *Master) isMinion(id string) bool {
	return !m.nodes.Has(id) || m.presence.Beside(id)
}

// candidates gives the accepted ids that a target may mean: those that it names, if it
// can mean no others, else all.
func (m *Master) candidates(expr target.Expr) []string {
	ids, ok := target.Among(expr)
	if !ok {
		return m.keys.List(keys.Accepted)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return !m.keys.Accepted(id) })
}

// ledgerMinions are the minions of an audience with what presence says of them;
// if they may have the job, or will be given it, those that are away get the time
// to come back.
func (m *Master) ledgerMinions(ids []string, await func(id string) bool) []ledger.Minion {
	out := make([]ledger.Minion, 0, len(ids))
	for _, id := range ids {
		s := m.presence.Minion(id)
		switch {
		case s.Stock && s.Live == ledger.Up:
			s.Live = ledger.Untracked // it is there, and has to be asked whether it works on the job
		case s.Stock: // it takes longer than ours to come back
			if s.Grace = min(s.Grace, m.stockWait()); !m.kept.Keeps() {
				s.Grace = 0
			}
		case s.Grace > 0 && !await(id):
			s.Grace = 0
		}
		out = append(out, ledger.Minion{ID: id, Live: s.Live, Grace: s.Grace, Doubt: s.Doubt})
	}
	return out
}

// listed gives the ids of a list target: a list, or text with commas.
func listed(tgt any) []string {
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

// targetOf decodes a target as it travels: text, or a list of texts.
func targetOf(raw wire.Raw) (any, error) {
	v, err := wire.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	switch v.(type) {
	case string, []any:
		return v, nil
	}
	return nil, fmt.Errorf("target: neither text nor a list of ids")
}
