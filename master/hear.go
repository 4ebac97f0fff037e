package master

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/treewatch"
)

// fromBelow takes what a node says in an event. Words on jobs go to the engine, which has
// them told: they have to be stored up to a number before they are acknowledged. What is
// to be fired as it is comes back as seen from this master, with taken false.
func (m *Master) fromBelow(node, tag string, data wire.Raw) (_ wire.Raw, upTo uint64, taken bool) {
	if upTo, is := m.fromBeyond(node, tag, data); is {
		return data, upTo, false
	}
	if strings.HasPrefix(tag, "topology/") {
		return treewatch.FromBelow(node, data), 0, false
	}
	id, kind, _, ok := jobevent.Parse(tag)
	if !ok || !jid.Valid(id) {
		return data, 0, false
	}
	ours := m.presence.Role(node) == presence.Syndic
	var err error
	switch kind {
	case jobevent.KindExpectation:
		var x jobevent.Expectation
		// One of ours behind a Python master comes once more under the name of the node that says it.
		if x, err = jobevent.DecodeExpectation(id, data); err == nil && (ours || !x.Ours) {
			return nil, m.hearExpectation(node, x), true
		}
	case jobevent.KindMissing:
		var x jobevent.Missing
		if x, err = jobevent.DecodeMissing(id, data); err == nil {
			maps.DeleteFunc(x.Minions, func(minion string, _ jobevent.Absence) bool { return !m.owned(node, id, minion) })
			return nil, m.jobs.Hear(node, x), true
		}
	case jobevent.KindNew:
		if ours { // it has told its expectation before
			break
		}
		var x jobevent.New
		if x, err = jobevent.DecodeNew(id, data); err == nil { // from a Python syndic this may be the first word
			upTo = m.jobs.Learn(node, m.allowed(node, jobevent.Expectation{JID: id, Minions: x.Minions}))
			m.queueAnswered(id, node)
		}
	}
	if err != nil {
		m.server.Refused("word on a job", nil, fmt.Errorf("node %s, event %s: %w", node, tag, err))
	}
	return data, upTo, false
}

// hearExpectation takes who a node found for a job.
func (m *Master) hearExpectation(node string, x jobevent.Expectation) (upTo uint64) {
	x = m.allowed(node, x)
	upTo = m.jobs.Hear(node, x)
	m.queueAnswered(x.JID, x.Under(node).Node)
	return upTo
}

// allowed leaves out the minions that a node may not speak for.
func (m *Master) allowed(node string, x jobevent.Expectation) jobevent.Expectation {
	x.Minions = m.ownedBy(node, x.JID, x.Minions)
	if !x.Ours {
		x.Minions = m.beyond.Without(x.Minions, node)
	}
	maps.DeleteFunc(x.Unreachable, func(id, _ string) bool { return !m.owned(node, x.JID, id) })
	return x
}

// sortedKeys gives the keys of a map in their order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
