package ownership

import (
	"maps"
	"slices"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
)

// Trespassed counts a refusal. The first of a kind and sender, and then one in ten seconds, is
// logged and fired as an event, which also reaches the parents.
func (p *Policy) Trespassed(x Trespass) {
	p.o.Refused()
	//mutant:refused-loads-are-cut-in-logs
	x = x.short()
	n := p.counts.Note(x, p.o.Now())
	if n == 0 {
		p.o.Log.Debug("refused", "what", x.Kind, "node", x.Path, "minion", x.ID, "jid", x.JID, "err", x.Err)
		return
	}
	p.o.Log.Warn("refused", "what", x.Kind, "node", x.Path, "minion", x.ID, "jid", x.JID, "count", n, "err", x.Err)
	p.o.Fire("topology/refused", wire.NewMap("kind", x.Kind, "path", x.Path, "id", x.ID, "jid", x.JID, "count", n, "reason", x.Err.Error()))
}

// Counts returns the number of refusals by kind.
func (p *Policy) Counts() map[string]uint64 { return p.counts.Counts() }

// Owned reports whether a node may speak for a minion of a job, and counts a refusal if not.
func (p *Policy) Owned(node, jid, id string) bool {
	err := p.judge.MayAnswer(node, id)
	if err != nil {
		p.Trespassed(Trespass{Kind: OfExpectation, Path: node, ID: id, JID: jid, Err: err})
	}
	return err == nil
}

// Allowed removes the minions that a node may not speak for from its expectation.
func (p *Policy) Allowed(node string, x jobevent.Expectation) jobevent.Expectation {
	x.Minions = slices.DeleteFunc(x.Minions, func(id string) bool { return !p.Owned(node, x.JID, id) })
	if !x.Ours {
		x.Minions = p.beyond.Without(x.Minions, node)
	}
	maps.DeleteFunc(x.Unreachable, func(id, _ string) bool { return !p.Owned(node, x.JID, id) })
	return x
}
