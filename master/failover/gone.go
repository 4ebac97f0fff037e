package failover

import (
	"errors"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/shlex"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
)

// KeyGone tells the masters above, and through them the siblings, that a key is not accepted
// here any more. left: it was that of a guest that has gone home; that is no secret, and it gets
// the next shared key from there.
func (s *Service) KeyGone(id string, key crypt.FingerSum) (left bool) {
	if s == nil {
		return false
	}
	home, guest := s.peers.GuestOf(id)
	if s.IsNode(id) && !guest {
		s.noHome(id)
	}
	if left = s.peers.Swept(id); !left {
		s.note(sibling.Gone{ID: id, Finger: key.String(), By: s.Node, Home: home, At: s.Now()})
	}
	if !s.Keys.Accepted(id) { // no other one under the same id
		s.peers.Forget(id)
		s.showUnadmitted(id, false)
	}
	return left
}

func (s *Service) note(gone ...sibling.Gone) {
	if _, err := s.revoked.Note(false, gone...); err != nil {
		s.Failing("That a key is gone could not be written down, and is forgotten with a restart", err)
	}
}

// AdmissionsChanged takes the nodes that operators have admitted as homes for others, or no longer.
func (s *Service) AdmissionsChanged(nodes []string) {
	if s == nil || len(nodes) == 0 {
		return
	}
	for _, id := range nodes {
		if !s.Roles.Admitted(id) {
			s.noHome(id)
		}
	}
	s.below.Ring()
}

// noHome tells the nodes below that one of them is no home for others any more: nothing that it has
// vouched for counts. The clocks may be apart.
func (s *Service) noHome(id string) {
	if _, err := s.revoked.Note(true, sibling.Gone{By: id, At: s.Now().Add(sibling.ClockSlack)}); err != nil {
		s.Failing("That a node is no home any more could not be written down, and is forgotten with a restart", err)
	}
	s.below.Ring()
}

// RevokedKeys returns the keys deleted or rejected here, for the parents.
func (s *Service) RevokedKeys() []sibling.Gone { return s.revoked.Of(s.Node) }

// AddRevoked records keys that siblings of this node have revoked.
func (s *Service) AddRevoked(gone []sibling.Gone) error {
	var others []sibling.Gone
	for _, g := range gone {
		if g.By != s.Node && g.By != "" {
			others = append(others, g)
		}
	}
	fresh, err := s.revoked.Note(false, others...)
	return errors.Join(err, s.reject(fresh), s.shutOut(fresh))
}

// reject rejects keys of this node's own that a sibling has deleted while they were its guests.
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
		s.Log.Warn("key deleted at the home node of a minion, rejecting it here", "id", g.ID, "sibling", g.By, "undo", "salt-key --include-rejected -a "+shlex.KeyName(g.ID))
		_, err := s.Keys.RejectIn(keys.Selection{keys.Accepted: {g.ID}})
		errs = append(errs, err)
		s.Fire("topology/key_gone", wire.NewMap("id", g.ID, "at", g.By))
	}
	return errors.Join(errs...)
}

// shutOut drops what is held here on the word of siblings that is taken back.
func (s *Service) shutOut(gone []sibling.Gone) error {
	ids := s.peers.Shut(gone...)
	if len(ids) == 0 {
		return nil
	}
	s.peers.Sweeping(ids...) // they are told of by the node where they are gone
	_, err := s.Keys.Delete(ids...)
	s.Shared.RenewNow()
	for _, id := range ids {
		s.peers.Forget(id)
		s.refuse(id, errors.New("it was here on the word of a sibling that is taken back: its key is gone there, or the sibling is no home for others any more"))
	}
	s.Log.Warn("removed keys that a sibling had vouched for", "count", len(ids), "first", ids[0])
	return err
}

// revokeOrphans tells of the keys that were deleted while this master was down: those whose role
// was known.
func (s *Service) revokeOrphans() {
	orphans := s.Roles.Orphans()
	for _, id := range slices.Sorted(maps.Keys(orphans)) {
		home, _ := s.peers.GuestOf(id)
		s.note(sibling.Gone{ID: id, Finger: orphans[id].String(), By: s.Node, Home: home, At: s.Now()})
		s.peers.Forget(id)
	}
}
