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

// Commands returns the commands that a master serves for failover.
func Commands() []server.Command { return commands.Commands() }

func init() {
	commands.Register(server.Command{
		Name: sibling.Command, Who: server.Proven,
		Args: []string{"role", "have", "voucher", "stay", "leaves", "forever", "transfer", "turn", "host", "port", "pub", "draining", "have_below", "gone", "have_gone"},
		Doc: `
A minion or node asks which masters to use when this one is gone. A mom command.

role, have
    Its role, and the checksum of the lists that it has.
voucher
    Requests a voucher that its key is accepted here.
stay, leaves, forever, transfer, turn
    A guest that stays, a minion that moves to another node or leaves for good, and a token
    for the move.
host, port, pub, draining, have_below, gone, have_gone
    Of a node: its address and key for minions, whether it is draining, and its state of the
    nodes below and of deleted keys.
`,
	}, func(s *Service) server.Handler { return s.serve })
}

// serve answers a peer that asks for its siblings. A Python master, and one with
// rehome: False, answers {}.
func (s *Service) serve(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("decode sibling request of %s: %w", r.ID, err)
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
		admitted, set := reply.Get("admitted")
		s.showUnadmitted(r.ID, set && admitted == false)
	}
	return reply, nil
}

// refuse reports a failover claim of a peer that was rejected.
func (s *Service) refuse(id string, err error) {
	s.Refused(ownership.Trespass{Kind: ownership.OfHome, Path: id, Err: err})
}

// showUnadmitted sets or clears the problem of a node that asks for its siblings and is not
// admitted.
func (s *Service) showUnadmitted(id string, lacks bool) {
	if s.Tree.SetProblem(topology.Problem{
		Kind: topology.Degraded, Path: id,
		Detail: "node " + id + " is not admitted for failover: its minions cannot move when it is down; run `mom node admit " + id + "`, or set rehome: False there",
	}, "unadmitted/"+id, lacks) && lacks {
		s.Log.Warn("node not admitted for failover", "node", id, "hint", "mom node admit "+id)
	}
}
