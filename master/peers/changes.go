package peers

import (
	"time"

	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/treewatch"
	"github.com/momtree/mom/topology"
)

// up and down carry changes of presence into the tree and the ledger.
func (s *Service) up(a presence.Announcement) {
	if a.Role == presence.Syndic {
		if s.o.Tree.SetNodeState(a.ID, topology.Up) {
			s.tellNode(treewatch.NodeUp, a.ID)
		}
		s.p.Jobs.NodeUp(a.ID)
		return
	}
	s.o.Tree.SetMinion(topology.Minion{ID: a.ID, State: topology.Up, Version: a.Version})
	if a.Stock {
		s.p.Jobs.StockUp(a.ID)
		return
	}
	running := make(map[string]bool, len(a.Running))
	for _, jid := range a.Running {
		running[jid] = true
	}
	s.p.Jobs.MinionUp(a.ID, running)
	s.p.Announced(a)
}

func (s *Service) down(p presence.Peer) {
	if p.Role == presence.Syndic {
		if s.o.Tree.SetNodeState(p.ID, topology.Down) {
			s.tellNode(treewatch.NodeDown, p.ID)
		}
		s.p.Jobs.NodeDown(p.ID)
		return
	}
	s.o.Tree.SetMinion(topology.Minion{ID: p.ID, State: topology.Down, Version: p.Version})
	wait := time.Duration(0)
	if p.Stock {
		wait = s.stockWait()
	}
	s.p.Jobs.MinionDown(p.ID, wait)
}

// missLost ends the wait of open jobs for what is behind nodes that have not come
// back after this master's start. Minions of its own have a deadline already.
func (s *Service) missLost() {
	for _, p := range s.Lost() {
		if p.Role == presence.Syndic {
			s.o.Log.Warn("node absent since startup, open jobs no longer wait for it", "node", p.ID)
			s.p.Jobs.NodeDown(p.ID)
		}
	}
}

// tellNode fires the event of a node right below.
func (s *Service) tellNode(tag, id string) {
	s.o.Log.Info("child node changed", "node", id, "event", tag)
	s.o.Fire(tag, treewatch.Event(s.o.Now(), id, id))
}

func (s *Service) nodeState(id string) topology.State {
	live, _ := s.Node(id)
	return treewatch.StateOf(live)
}

// Plant enters all accepted keys; presence corrects them as peers connect.
func (s *Service) Plant() {
	for _, id := range s.o.Keys.List(keys.Accepted) {
		s.Grow(id)
	}
}

// Grow enters an id whose key is accepted into the tree.
func (s *Service) Grow(id string) {
	if s.p.Policy.IsNode(id) {
		s.o.Tree.SetNodeState(id, s.nodeState(id))
	}
	if !s.p.Policy.IsMinion(id) {
		s.o.Tree.RemoveMinion(id)
		return
	}
	s.o.Tree.SetMinion(topology.Minion{ID: id, State: treewatch.StateOf(s.Minion(id).Live)})
}

// missAbsent marks in the tree who is accepted and hangs nowhere, when that has
// become certain. was is what it gave the last time.
func (s *Service) missAbsent(was bool) (sure bool) {
	if sure = s.Sure(); !sure || was {
		return sure
	}
	for _, id := range s.o.Keys.List(keys.Accepted) {
		if !s.p.Policy.IsMinion(id) {
			continue
		}
		if at := s.Minion(id); at.Stock && at.Live == engine.Down {
			s.o.Tree.SetMinion(topology.Minion{ID: id, State: topology.Down})
		}
	}
	return sure
}
