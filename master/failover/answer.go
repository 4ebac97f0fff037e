package failover

import (
	"fmt"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// SetSiblings stores the signed list of nodes from a parent. It returns an error if the list
// is invalid or does not contain this node.
func (s *Service) SetSiblings(signed sibling.Signed) error {
	l, err := signed.Open()
	if err != nil {
		return err
	}
	for _, err := range l.Left {
		s.Log.Warn("sibling skipped", "parent", l.Parent, "err", err)
	}
	if _, here := l.Find(s.Node); !here {
		return fmt.Errorf("list of siblings of %s: %w: this node is not in it", l.Parent, sibling.ErrBad)
	}
	if s.peers.SetList(signed, l) {
		s.above.Trigger()
	}
	return nil
}

// ClearSiblings drops the list of a parent that no longer admits this node, and reports whether
// there was one.
func (s *Service) ClearSiblings(parent string) (changed bool) {
	if changed = s.peers.dropList(parent); changed {
		s.above.Trigger()
	}
	return changed
}

// answer builds the reply to a peer at addr that asks for its siblings.
func (s *Service) answer(id, addr string, d *wire.Map) (*wire.Map, error) {
	above, _ := s.peers.Siblings()
	if err := s.turns.check(id, d); err != nil {
		s.refuse(id, err)
		return nil, err
	}
	reply := wire.NewMap("node", s.Node, "turn", s.turns.of(id))
	if have := d.String("have"); have != "" && have == sibling.Sum(above...) {
		reply.Set("same", true)
	} else {
		signed := make([]any, 0, len(above))
		for _, t := range above {
			signed = append(signed, t.Map())
		}
		reply.Set("lists", signed)
	}
	if d.String("role") == "syndic" {
		n := sibling.Node{
			ID: id, Host: d.String("host"), Port: int(d.Int("port")), Pub: d.String("pub"), Draining: d.Bool("draining"),
		}
		if n.Host == "" {
			n.Host = addr
		}
		if _, guest := s.peers.GuestOf(id); !guest { // the home of a guest lists it and serves its minions
			if err := s.enter(n, d, reply); err != nil {
				return nil, err
			}
		}
	}
	if err := s.move(id, d, reply); err != nil {
		return nil, err
	}
	if _, away := s.peers.GuestOf(id); !away && s.Config.RehomeKeys && d.Bool("voucher") {
		v, err := s.vouch(id, "", sibling.VoucherLife)
		if err != nil {
			return nil, err
		}
		reply.Set("voucher", v)
	}
	return reply, nil
}

// move changes where a peer belongs, if the request asks for it.
func (s *Service) move(id string, d, reply *wire.Map) error {
	home, guest := s.peers.GuestOf(id)
	to := d.String("transfer")
	switch {
	case d.Bool("stay") && guest:
		if err := s.stay(id, home, d.Bytes("word")); err != nil {
			s.refuse(id, err)
			return err
		}
		s.Log.Info("minion stays here after failover", "minion", id, "former", home)
	case to != "" && !guest && s.Config.RehomeKeys && to != s.Node:
		v, err := s.vouch(id, to, transferLife)
		if err != nil {
			return err
		}
		reply.Set("transfer", v)
	case d.String("leaves") != "" && !guest:
		return s.peers.Away(id, d.String("leaves"), d.Bool("forever"))
	}
	return nil
}

// enter registers a child node, if an operator has admitted it, and adds the list of the
// child nodes to the reply.
func (s *Service) enter(n sibling.Node, d, reply *wire.Map) error {
	//mutant:homes-are-admitted
	if !s.Roles.Admitted(n.ID) {
		reply.Set("admitted", false)
		return nil
	}
	//mutant:sibling-bad-address
	if err := n.Check(); err != nil {
		s.refuse(n.ID, fmt.Errorf("address of the node for failover: %w", err))
	} else if s.peers.SetBelow(n) {
		s.below.Trigger()
	}
	if err := s.exchangeGone(n.ID, d, reply); err != nil {
		return err
	}
	own, err := s.children()
	if err != nil {
		return err
	}
	if d.String("have_below") != sibling.Sum(own) {
		reply.Set("below", own.Map())
	}
	return nil
}

// exchangeGone stores the revoked keys of a child and adds those of the other children to the reply.
func (s *Service) exchangeGone(id string, d, reply *wire.Map) error {
	if d.Has("gone") {
		gone, bad := sibling.ReadGone(d.List("gone"))
		//mutant:revocations-of-own-keys
		for i := range gone {
			gone[i].By = id // a node speaks for its own keys only
		}
		fresh, err := s.revoked.Note(true, gone...)
		if err != nil {
			return err
		}
		if bad != nil {
			s.refuse(id, bad)
		}
		if len(fresh) > 0 {
			s.Log.Info("keys removed at a child node", "node", id, "count", len(fresh), "first", fresh[0].ID)
			s.below.Trigger()
		}
	}
	reply.Set("gone_have", sibling.SumGone(s.revoked.Of(id)))
	if others := s.revoked.ForChild(id); sibling.SumGone(others) != d.String("have_gone") {
		reply.Set("gone", sibling.GoneMaps(others))
	}
	return nil
}

// children returns the signed list of the child nodes.
func (s *Service) children() (sibling.Signed, error) {
	return s.peers.signedBelow(s.Roles.Admitted, s.up, func(nodes []sibling.Node) (sibling.Signed, error) {
		return sibling.List{Parent: s.Node, At: s.Now(), Nodes: nodes}.Sign(s.Pair.Private, s.Pair.PublicPEM)
	})
}
