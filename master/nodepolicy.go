package master

import (
	"errors"
	"fmt"
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/master/presence"
)

// mayBeNode tells why an accepted id may not be a syndic, if so. With syndic_ids
// it has to be listed. Without, it must never have announced itself as a minion:
// Salt lets every accepted minion speak as a syndic, and so for all others.
func (m *Master) mayBeNode(id string) error {
	if m.answersHere(id) {
		return errors.New("it is connected as a minion")
	}
	if len(m.cfg.SyndicIds) > 0 {
		if !slices.ContainsFunc(m.cfg.SyndicIds, func(p string) bool { return target.Glob(p, id) }) {
			return errors.New("syndic_ids does not list it")
		}
		return nil
	}
	if m.presence.Role(id) == presence.Minion && !m.nodes.has(id) {
		return errors.New("it has announced itself as a minion before; if it is a syndic now, list it in syndic_ids or accept its key anew")
	}
	return nil
}

// barNodes forgets the nodes of an earlier life that syndic_ids does not list.
func (m *Master) barNodes() {
	if len(m.cfg.SyndicIds) == 0 {
		return
	}
	for _, id := range m.nodes.list() {
		if slices.ContainsFunc(m.cfg.SyndicIds, func(p string) bool { return target.Glob(p, id) }) {
			continue
		}
		m.log.Warn("A syndic of before is none any more: syndic_ids does not list it", "id", id)
		if err := m.nodes.remove(id); err != nil {
			m.log.Error("A node could not be forgotten", "id", id, "err", err)
		}
	}
}

// noteNode remembers that an accepted id is a node and not a minion.
func (m *Master) noteNode(id string) error {
	if err := m.mayBeNode(id); err != nil {
		m.trespassed(trespass{kind: trespassNode, path: id, err: err})
		return fmt.Errorf("%s speaks as a syndic and may not: %w", id, err)
	}
	fresh, err := m.nodes.add(id)
	if err != nil {
		return fmt.Errorf("mark syndic %s: %w", id, err)
	}
	if fresh {
		m.log.Info("A node below made itself known", "node", id)
		m.tree.SetNodeState(id, m.nodeState(id))
	}
	return nil
}
