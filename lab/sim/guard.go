package sim

import (
	"maps"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/roles"
	"github.com/momtree/mom/topology"
)

// guard decides who may speak for whom, with the product's judge over what the nodes report. It
// exists in worlds with hostile peers (see Hostile); minions do not move there.
type guard struct {
	n        *node
	claims   *ownership.Claims
	roles    map[string]roles.Role // role of each key, on disk
	admitted map[string]bool       // admitted by an operator, on disk
	*ownership.Judge
}

func newGuard(n *node) *guard {
	g := &guard{n: n, claims: ownership.NewClaims(), roles: map[string]roles.Role{}, admitted: map[string]bool{}}
	g.Judge = ownership.NewJudge(ownership.Config{
		Claims: g.claims, Nodes: g, OrderMasters: true, Roles: g, Keys: g, Presence: connected{g}, Running: func(string) bool { return false },
	})
	return g
}

// fix records the role in which a key was first used.
func (g *guard) fix(id string, as roles.Role) {
	if g != nil && g.roles[id] == roles.None {
		g.roles[id] = as
	}
}

// Of returns the role of a key. It and the methods below are the judge's interfaces.
func (g *guard) Of(id string) roles.Role { return g.roles[id] }

// Admitted is described at Of.
func (g *guard) Admitted(id string) bool { return g.admitted[id] }

// Has is described at Of.
func (g *guard) Has(id string) bool { return g.n.below(id) != nil }

// Accepted is described at Of.
func (g *guard) Accepted(id string) bool {
	return g.Has(id) || g.n.own(id) != nil
}

// connected reports who is connected.
type connected struct{ *guard }

// Announced is described at [presence.Registry].
func (k connected) Announced(id string) (engine.Liveness, time.Duration) {
	if m := k.n.own(id); m != nil && m.tracked() {
		return m.live(), 0
	}
	return engine.Untracked, 0
}

// Node is described at [presence.Registry].
func (k connected) Node(id string) (engine.Liveness, time.Duration) {
	if l := k.n.below(id); l != nil {
		return l.live(), 0
	}
	return engine.Untracked, 0
}

// Announces is described at [presence.Registry].
func (k connected) Announces(role, id string) bool {
	m := k.n.own(id)
	return role == presence.Syndic && k.Has(id) || role == presence.Minion && m != nil && m.tracked()
}

// below returns the link to a child, or nil if it has no such child.
func (n *node) below(id string) *link {
	for _, l := range n.downs {
		if l.child.id == id {
			return l
		}
	}
	return nil
}

// own returns a minion of this node, connected or not, or nil if it has no such minion.
func (n *node) own(id string) *minion {
	for i := range n.minions {
		if n.minions[i].id() == id {
			return &n.minions[i]
		}
	}
	return nil
}

// claim applies the tree report of a child.
func (n *node) claim(tree topology.Node) {
	n.tree.SetNode(tree)
	if n.guard != nil {
		n.guard.claims.Report(tree)
		n.reportSoon()
	}
}

// reportAfter is the delay from a change to the tree report to the parents.
const reportAfter = int64(300 * time.Millisecond)

// reportSoon schedules a report of the node's tree to its parents, in worlds with a guard. A parent
// that is not connected gets it with the greeting, which may be under way without the change.
func (n *node) reportSoon() {
	if n.guard == nil {
		return
	}
	for _, l := range n.ups {
		epoch := l.epoch
		var report func()
		report = func() {
			switch {
			case l.epoch != epoch || l.cut[up] || !l.parent.alive:
			case !l.seen:
				n.after(reportAfter, report)
			default:
				l.parent.claim(l.report())
			}
		}
		n.after(reportAfter, report)
	}
}

// report returns the subtree of the child as the child reports it.
func (l *link) report() topology.Node {
	tree := l.child.tree.Snapshot()
	tree.ID, tree.State = l.child.id, topology.Up
	return tree
}

// noteMinion records in the tree whether a minion of the node is connected.
func (n *node) noteMinion(m *minion) {
	if n.guard == nil {
		return
	}
	st := topology.Down
	if m.connected {
		st = topology.Up
	}
	n.tree.SetMinion(topology.Minion{ID: m.id(), State: st})
	n.reportSoon()
}

// mayReturnFor returns an error if the sender of `_syndic_return` may not act as a node: ownership.Policy.Join.
func (n *node) mayReturnFor(via string) error {
	if n.guard == nil {
		return nil
	}
	if err := n.guard.MayBeNode(via); err != nil {
		return err
	}
	n.guard.fix(via, roles.Syndic)
	return nil
}

// settle returns an error if a node does not speak for a minion. A return of a minion that is known
// to be elsewhere is sent again: ownership.Policy.Settle waits for a report.
func (n *node) settle(via, id string) error {
	if n.guard == nil || n.w.o.sabotage.believeNodes {
		return nil
	}
	return n.guard.MayAnswer(via, id)
}

// owned reports whether a node speaks for a minion.
func (n *node) owned(via, id string) bool { return n.settle(via, id) == nil }

// allowed removes from a report the minions that the node may not speak for.
func (n *node) allowed(via string, w jobevent.Word) jobevent.Word {
	if n.guard == nil {
		return w
	}
	switch x := w.(type) {
	case jobevent.Expectation:
		var own []string
		for _, id := range x.Minions {
			if n.owned(via, id) {
				own = append(own, id)
			}
		}
		x.Minions, x.Unreachable = own, maps.Clone(x.Unreachable)
		maps.DeleteFunc(x.Unreachable, func(id, _ string) bool { return !n.owned(via, id) })
		return x
	case jobevent.Missing:
		x.Minions = maps.Clone(x.Minions)
		maps.DeleteFunc(x.Minions, func(id string, _ jobevent.Absence) bool {
			return !n.engine.CountsBehind(x.JID, via, id) && !n.owned(via, id)
		})
		return x
	}
	return w
}

// takeFrom accepts a return from a peer acting as a minion: intake's onReturn.
func (n *node) takeFrom(sender string, load wire.Raw) {
	ret, err := wire.ParseReturn(load)
	n.must(err)
	if err := ownership.MayReturn(sender, ret.ID, protocol); err != nil && !n.w.o.sabotage.anyName {
		n.w.trace(n, "refuses a return: %v", err)
		n.w.reach(markForged)
		return
	}
	n.guard.fix(sender, roles.Minion)
	_ = n.keep(n.rowsOf(ret), nil) // a hostile sender does not retry
}

// protocol is the version that all peers speak.
const protocol = 3
