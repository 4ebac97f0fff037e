package engine

import (
	"cmp"
	"time"

	"github.com/momtree/mom/internal/jobevent"
)

// What becomes of peers goes to the account: it finds who is to be asked, and who is
// missing.

// with gives a minion and the resources that it manages.
func (e *Engine) with(id string) []string {
	if e.cfg.Resources == nil {
		return []string{id}
	}
	return append([]string{id}, e.cfg.Resources(id)...)
}

// managers puts the minions that manage resources in their place: they are asked.
func (e *Engine) managers(ids []string) []string {
	if e.cfg.Manager == nil {
		return ids
	}
	out := make([]string, 0, len(ids))
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if id = cmp.Or(e.cfg.Manager(id), id); !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// MinionUp tells that a minion of this node has connected, and what it works on.
func (e *Engine) MinionUp(id string, running map[string]bool) {
	for _, id := range e.with(id) {
		e.ledger.minionUp(id, running)
	}
}

// StockUp is MinionUp for one that cannot say what it works on.
func (e *Engine) StockUp(id string) {
	for _, id := range e.with(id) {
		e.ledger.stockUp(id)
	}
}

// MinionDown tells that the connection of a minion broke; its jobs wait for it so long,
// 0 is the lease.
func (e *Engine) MinionDown(id string, wait time.Duration) {
	for _, id := range e.with(id) {
		e.ledger.minionDown(id, wait)
	}
}

// NodeUp tells that a node right below is connected.
func (e *Engine) NodeUp(id string) { e.ledger.NodeUp(id) }

// NodeDown tells that the connection of a node right below broke.
func (e *Engine) NodeDown(id string) { e.ledger.NodeDown(id) }

// Found enters what a minion says of a job when it is asked: see [Find].
func (e *Engine) Found(jid, id string, running bool) {
	e.ledger.found(jid, id, running)
	for _, res := range e.with(id)[1:] {
		e.ledger.foundManager(jid, res, running)
	}
}

// Declined tells that a minion of this node does not take a job, since the target does not
// match its own data: grains, pillar, or both.
func (e *Engine) Declined(jid, id string, data ...string) { e.ledger.Declined(jid, id, data...) }

// Given tells that a minion is about to be given a job that it has missed.
func (e *Engine) Given(jid, id string) { e.ledger.Given(jid, id) }

// GivenNode is Given for a node right below.
func (e *Engine) GivenNode(jid, id string) { e.ledger.GivenNode(jid, id) }

// GivenStock is Given for a minion that cannot say what it works on.
func (e *Engine) GivenStock(jid, id string) {
	for _, id := range e.with(id) {
		e.ledger.givenStock(jid, id)
	}
}

// Overdue tells that those a queued job waits for will not get it, and the reason;
// minions maps each to the path to it.
func (e *Engine) Overdue(jid, reason string, minions map[string]string) {
	defer e.hold(jid)()
	if !e.ledger.overdue(jid, reason, minions) { // the account is forgotten
		gone := make(map[string]jobevent.Absence, len(minions))
		for id, path := range minions {
			gone[id] = jobevent.Absence{Reason: reason, Path: path}
		}
		e.find(finding{jid: jid, gone: gone})
	}
	e.lateWord(jid)
}

// IsNode tells that what a Python master counts among its minions is a node.
func (e *Engine) IsNode(jid, id string) { e.ledger.IsNode(jid, id) }
