package failover

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/topology"
)

var commands server.Set[*Service]

// Commands are those that a master serves for failover.
func Commands() []server.Command { return commands.Commands() }

func init() {
	commands.Register(server.Command{
		Name: sibling.Command, Who: server.Proven,
		Args: []string{"role", "have", "voucher", "stay", "leaves", "forever", "transfer", "turn", "host", "port", "pub", "draining", "have_below", "gone", "have_gone"},
		Doc: `
A minion or node asks where it may go when this master is gone; our own addition.

role, have
    What it is, and the sum of the lists that it has already.
voucher
    It wants this master's word that its key is accepted here.
stay, leaves, forever, transfer, turn
    A guest that stays, a minion that leaves for another node or for good, and the word
    that it is its turn.
host, port, pub, draining, have_below, gone, have_gone
    Of a node: where its minions find it and by which key, whether it wants to lose
    them, and what it knows of the nodes below and of deleted keys.
`,
	}, func(s *Service) server.Handler { return s.serve })
}

// serve serves the question of a minion or node where it may go when this master is gone. It
// is our own addition; a Python master, and one with rehome: False, answers {}.
func (s *Service) serve(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("question of %s about siblings: %w", r.ID, err)
	}
	node := d.String("role") == presence.Syndic
	if err := s.Acts(r.ID, node); err != nil {
		return nil, err
	}
	reply, err := s.answer(r.ID, r.Peer.Source().String(), d)
	if err != nil {
		return nil, err
	}
	if node {
		admitted, told := reply.Get("admitted")
		s.showUnadmitted(r.ID, told && admitted == false)
	}
	return reply, nil
}

// refuse tells what a peer claims of itself as a home for others and may not have.
func (s *Service) refuse(id string, err error) {
	s.Refused(ownership.Trespass{Kind: ownership.OfHome, Path: id, Err: err})
}

// showUnadmitted has the tree show a node that asks for its siblings and that no operator has
// made a home for others.
func (s *Service) showUnadmitted(id string, lacks bool) {
	if s.Tree.SetProblem(topology.Problem{
		Kind: topology.Degraded, Path: id,
		Detail: "node " + id + " is not admitted as a home for others: its minions have nowhere to go when it is gone; `mom node admit " + id + "`, or rehome: False there",
	}, "unadmitted/"+id, lacks) && lacks {
		s.Log.Warn("node not admitted for failover", "node", id, "mend", "mom node admit "+id)
	}
}
