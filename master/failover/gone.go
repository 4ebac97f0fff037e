package failover

import (
	"errors"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/salt/pyfmt"
)

// KeyGone reports to the parents, and through them to the siblings, that a key is no longer
// accepted here. left is true for the key of a guest that went home: it was not revoked.
func (s *Service) KeyGone(id string, key crypt.FingerSum) (left bool) {
	if s == nil {
		return false
	}
	home, guest := s.peers.GuestOf(id)
	if s.IsNode(id) && !guest {
		s.revokeNode(id)
	}
	if left = s.peers.Swept(id); !left {
		s.record(sibling.Gone{ID: id, Finger: key.String(), By: s.Node, Home: home, At: s.Now()})
	}
	if !s.Keys.Accepted(id) { // no other key of this id
		s.peers.Forget(id)
		s.showUnadmitted(id, false)
	}
	return left
}

func (s *Service) record(gone ...sibling.Gone) {
	if _, err := s.revoked.Note(false, gone...); err != nil {
		s.Failing("That a key is gone could not be written down, and is forgotten with a restart", err)
	}
}

// AdmissionsChanged handles nodes that operators have admitted for failover, or no longer.
func (s *Service) AdmissionsChanged(nodes []string) {
	if s == nil || len(nodes) == 0 {
		return
	}
	for _, id := range nodes {
		if !s.Roles.Admitted(id) {
			s.revokeNode(id)
		}
	}
	s.below.Trigger()
}

// revokeNode revokes all vouchers of a child node that is not admitted any more. It allows
// for clocks that differ.
func (s *Service) revokeNode(id string) {
	if _, err := s.revoked.Note(true, sibling.Gone{By: id, At: s.Now().Add(sibling.ClockSlack)}); err != nil {
		s.Failing("That a node is no home any more could not be written down, and is forgotten with a restart", err)
	}
	s.below.Trigger()
}

// RevokedKeys returns the keys deleted or rejected here, for the parents.
func (s *Service) RevokedKeys() []sibling.Gone { return s.revoked.Of(s.Node) }

// AddRevoked stores the keys that siblings have revoked, and rejects or deletes them here.
func (s *Service) AddRevoked(gone []sibling.Gone) error {
	var others []sibling.Gone
	for _, g := range gone {
		if g.By != s.Node && g.By != "" {
			others = append(others, g)
		}
	}
	fresh, err := s.revoked.Note(false, others...)
	return errors.Join(err, s.reject(fresh), s.removeRevoked(fresh))
}

// reject rejects keys of this node's own that a sibling deleted while they were its guests.
func (s *Service) reject(gone []sibling.Gone) error {
	var errs []error
	for _, g := range gone {
		if g.Home != s.Node || g.ID == "" || g.Finger == "" {
			continue
		}
		//mutant:siblings-reject-no-own-keys
		if key, err := s.Keys.Sum(g.ID); err != nil || key.String() != g.Finger {
			continue
		}
		s.Log.Warn("rejecting a key that a sibling deleted", "minion", g.ID, "sibling", g.By, "hint", "salt-key --include-rejected -a "+pyfmt.ShellKeyName(g.ID))
		_, err := s.Editor.RejectIn(keys.Selection{keys.Accepted: {g.ID}})
		errs = append(errs, err)
		s.Fire("topology/key_gone", wire.NewMap("id", g.ID, "at", g.By))
	}
	return errors.Join(errs...)
}

// removeRevoked deletes keys accepted by a voucher that is now revoked.
func (s *Service) removeRevoked(gone []sibling.Gone) error {
	ids := s.peers.Revoked(gone...)
	if len(ids) == 0 {
		return nil
	}
	s.peers.Sweeping(ids...) // the node that revoked them reports them
	_, err := s.Editor.Delete(ids...)
	s.Shared.RenewNow()
	for _, id := range ids {
		s.peers.Forget(id)
		s.refuse(id, errors.New("its voucher is revoked: the key was deleted at its home, or that node is no longer admitted"))
	}
	s.Log.Warn("keys with a revoked voucher removed", "count", len(ids), "first", ids[0])
	return err
}

// revokeOrphans reports keys with a known role that were deleted while this master was down.
func (s *Service) revokeOrphans() {
	orphans := s.Roles.Orphans()
	for _, id := range slices.Sorted(maps.Keys(orphans)) {
		home, _ := s.peers.GuestOf(id)
		s.record(sibling.Gone{ID: id, Finger: orphans[id].String(), By: s.Node, Home: home, At: s.Now()})
		s.peers.Forget(id)
	}
}
