package failover

import (
	"fmt"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// SetSiblings replaces a parent's list of siblings by a newer signed one.
func (s *Service) SetSiblings(told sibling.Told) error {
	l, err := told.Open()
	if err != nil {
		return err
	}
	for _, err := range l.Left {
		s.Log.Warn("sibling skipped", "parent", l.Parent, "err", err)
	}
	if _, here := l.Find(s.Node); !here {
		return fmt.Errorf("list of siblings of %s: %w: this node is not in it", l.Parent, sibling.ErrBad)
	}
	if s.peers.Hear(told, l) {
		s.above.Ring()
	}
	return nil
}

// ClearSiblings removes a parent's list, because this node is no longer admitted there as a home
// for other minions. changed reports whether there was one.
func (s *Service) ClearSiblings(parent string) (changed bool) {
	if changed = s.peers.unhear(parent); changed {
		s.above.Ring()
	}
	return changed
}

// answer answers a minion or node that asks from an address where it may go when
// this node is gone.
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
		told := make([]any, 0, len(above))
		for _, t := range above {
			told = append(told, t.Map())
		}
		reply.Set("lists", told)
	}
	if d.String("role") == "syndic" {
		n := sibling.Node{
			ID: id, Host: d.String("host"), Port: int(d.Int("port")), Pub: d.String("pub"), Draining: d.Bool("draining"),
		}
		if n.Host == "" {
			n.Host = addr
		}
		if _, guest := s.peers.GuestOf(id); !guest { // which is not in the list, and its minions have the siblings that its home tells
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

// move serves what changes where a peer belongs.
func (s *Service) move(id string, d, reply *wire.Map) error {
	home, guest := s.peers.GuestOf(id)
	to := d.String("transfer")
	switch {
	case d.Bool("stay") && guest:
		if err := s.stay(id, home, d.Bytes("word")); err != nil {
			s.refuse(id, err)
			return err
		}
		s.Log.Info("minion stays here after failover", "id", id, "former", home)
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

// enter takes what a node right below says of itself, if an operator has made it a home for
// others, and tells it of the others.
func (s *Service) enter(n sibling.Node, d, reply *wire.Map) error {
	//mutant:homes-are-admitted
	if !s.Roles.Admitted(n.ID) {
		reply.Set("admitted", false)
		return nil
	}
	//mutant:sibling-bad-address
	if err := n.Check(); err != nil {
		s.refuse(n.ID, fmt.Errorf("its address as a home for others: %w", err))
	} else if s.peers.Enter(n) {
		s.below.Ring()
	}
	if err := s.hearGone(n.ID, d, reply); err != nil {
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

// hearGone takes which keys are gone at a node right below, and tells it of those at the others.
func (s *Service) hearGone(id string, d, reply *wire.Map) error {
	if d.Has("gone") {
		gone, bad := sibling.ReadGone(d.List("gone"))
		//mutant:revocations-of-own-keys
		for i := range gone {
			gone[i].By = id // it speaks for itself alone
		}
		fresh, err := s.revoked.Note(true, gone...)
		if err != nil {
			return err
		}
		if bad != nil {
			s.refuse(id, bad)
		}
		if len(fresh) > 0 {
			s.Log.Info("keys removed at a child node, notifying its siblings", "node", id, "count", len(fresh), "first", fresh[0].ID)
			s.below.Ring()
		}
	}
	reply.Set("gone_have", sibling.SumGone(s.revoked.Of(id)))
	if told := s.revoked.Told(id); sibling.SumGone(told) != d.String("have_gone") {
		reply.Set("gone", sibling.GoneMaps(told))
	}
	return nil
}

// children is the signed list of the nodes right below.
func (s *Service) children() (sibling.Told, error) {
	return s.peers.signedBelow(s.Roles.Admitted, s.up, func(nodes []sibling.Node) (sibling.Told, error) {
		return sibling.List{Parent: s.Node, At: s.Now(), Nodes: nodes}.Sign(s.Pair.Private, s.Pair.PublicPEM)
	})
}
