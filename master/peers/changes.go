package peers

import (
	"time"

	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/treewatch"
	"github.com/momtree/mom/topology"
)

// up and down report presence changes to the tree and the jobs.
func (s *Service) up(a presence.Announcement) {
	if a.Role == presence.Syndic {
		if s.o.Tree.SetNodeState(a.ID, topology.Up) {
			s.fireNode(treewatch.NodeUp, a.ID)
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
			s.fireNode(treewatch.NodeDown, p.ID)
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

// missLost ends the wait of open jobs for nodes that did not come back after this master's start.
// Its own minions have a deadline.
func (s *Service) missLost() {
	for _, p := range s.Lost() {
		if p.Role == presence.Syndic {
			s.o.Log.Warn("node absent since startup, ending the wait of open jobs", "node", p.ID)
			s.p.Jobs.NodeDown(p.ID)
		}
	}
}

// fireNode fires an event for a child node.
func (s *Service) fireNode(tag, id string) {
	s.o.Log.Info("child node changed", "node", id, "event", tag)
	s.o.Fire(tag, treewatch.Event(s.o.Now(), id, id))
}

func (s *Service) nodeState(id string) topology.State {
	live, _ := s.Node(id)
	return treewatch.StateOf(live)
}

// AddAccepted adds all accepted keys to the tree; presence updates their state later.
func (s *Service) AddAccepted() {
	for _, id := range s.o.Keys.List(keys.Accepted) {
		s.Add(id)
	}
}

// Add adds an id with an accepted key to the tree.
func (s *Service) Add(id string) {
	if s.p.Policy.IsNode(id) {
		s.o.Tree.SetNodeState(id, s.nodeState(id))
	}
	if !s.p.Policy.IsMinion(id) {
		s.o.Tree.RemoveMinion(id)
		return
	}
	s.o.Tree.SetMinion(topology.Minion{ID: id, State: treewatch.StateOf(s.Minion(id).Live)})
}

// missAbsent marks accepted minions without a connection as down in the tree, once that is certain.
// was is the result of the previous call.
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
