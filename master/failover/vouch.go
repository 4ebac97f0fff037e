package failover

import (
	"fmt"
	"time"

	"github.com/momtree/mom/internal/sibling"
)

// transferLife is how long a peer may use a voucher to stay elsewhere for good.
const transferLife = 10 * time.Minute

// Vouched reports whether a sibling vouches for a key that is not accepted here, and
// registers its peer as a guest.
func (s *Service) Vouched(id, pub string, voucher []byte) bool {
	if s == nil || len(voucher) == 0 || !s.Config.Rehome || !s.Config.RehomeKeys {
		return false
	}
	_, lists := s.peers.Siblings()
	v, err := sibling.Check(voucher, id, pub, s.Node, lists, s.Now())
	//mutant:old-vouchers
	if err == nil {
		err = s.revoked.Void(v)
	}
	if err != nil {
		s.Log.Warn("voucher rejected", "minion", id, "err", err)
		return false
	}
	if err := s.peers.Host(id, v); err != nil {
		s.Log.Error("minion of a sibling not accepted", "minion", id, "err", err)
		return false
	}
	s.Log.Info("minion of a sibling accepted by voucher", "minion", id, "home", v.Issuer)
	return true
}

// stay makes a guest one of this node's own if its home has signed a transfer.
func (s *Service) stay(id, home string, text []byte) error {
	key, err := s.Keys.PublicKey(id)
	if err != nil {
		return err
	}
	_, lists := s.peers.Siblings()
	v, err := sibling.CheckTransfer(text, id, sibling.FingerOf(key), s.Node, lists, s.Now())
	if err == nil && v.Issuer != home {
		err = fmt.Errorf("transfer of %s from %s: %w: its home is %s", id, v.Issuer, sibling.ErrBad, home)
	}
	if err == nil {
		err = s.revoked.Void(v)
	}
	//mutant:guests-need-vouchers
	if err != nil {
		return fmt.Errorf("keep guest %s without a transfer from its home: %w", id, err)
	}
	return s.peers.Adopt(id)
}

// vouch signs a voucher for an accepted key. With to, it is a transfer to that node.
func (s *Service) vouch(id, to string, life time.Duration) ([]byte, error) {
	key, err := s.Keys.PublicKey(id)
	if err != nil {
		return nil, err
	}
	s.Signing.Take()
	defer s.Signing.Give()
	now := s.Now()
	return sibling.Voucher{
		ID: id, Issuer: s.Node, Finger: sibling.FingerOf(key), Role: string(s.Roles.Of(id)), Made: now, Until: now.Add(life), To: to,
	}.Sign(s.Pair.Private)
}
