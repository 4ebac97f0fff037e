package peers

import (
	"time"

	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/treewatch"
	"github.com/momtree/mom/topology"
)

// changes passes the changes of presence on to the tree and the jobs.
type changes struct{ *Service }

// PeerUp implements [presence.Changes].
func (s changes) PeerUp(a presence.Announcement) {
	if a.Role == presence.Syndic {
		if s.o.Tree.SetNodeState(a.ID, topology.Up) {
			s.fireNode(treewatch.NodeUp, a.ID)
		}
		s.o.Jobs.NodeUp(a.ID)
		return
	}
	s.o.Tree.SetMinion(topology.Minion{ID: a.ID, State: topology.Up, Version: a.Version})
	if a.Stock {
		s.o.Jobs.StockUp(a.ID)
		return
	}
	running := make(map[string]bool, len(a.Running))
	for _, jid := range a.Running {
		running[jid] = true
	}
	s.o.Jobs.MinionUp(a.ID, running)
	s.o.Announced(a)
}

// PeerDown implements [presence.Changes].
func (s changes) PeerDown(p presence.Peer) {
	if p.Role == presence.Syndic {
		if s.o.Tree.SetNodeState(p.ID, topology.Down) {
			s.fireNode(treewatch.NodeDown, p.ID)
		}
		s.o.Jobs.NodeDown(p.ID)
		return
	}
	s.o.Tree.SetMinion(topology.Minion{ID: p.ID, State: topology.Down, Version: p.Version})
	wait := time.Duration(0)
	if p.Stock {
		wait = s.stockWait()
	}
	s.o.Jobs.MinionDown(p.ID, wait)
}

// missLost ends the wait of open jobs for nodes that did not come back after this master's start.
// Its own minions have a deadline.
func (s *Service) missLost() {
	for _, p := range s.Lost() {
		if p.Role == presence.Syndic {
			s.o.Log.Warn("node absent since startup, ending the wait of open jobs", "node", p.ID)
			s.o.Jobs.NodeDown(p.ID)
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
	return presence.StateOf(live)
}

// missAbsent marks accepted minions without a connection as down in the tree, once that is certain.
// was is the result of the previous call.
func (s *Service) missAbsent(was bool) (sure bool) {
	if sure = s.Sure(); !sure || was {
		return sure
	}
	for _, id := range s.o.Keys.List(keys.Accepted) {
		if !s.o.Policy.IsMinion(id) {
			continue
		}
		if at := s.Minion(id); at.Stock && at.Live == engine.Down {
			s.o.Tree.SetMinion(topology.Minion{ID: id, State: topology.Down})
		}
	}
	return sure
}
