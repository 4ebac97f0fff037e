package intake

import (
	"cmp"
	"context"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// A return is stored, is retried because nothing can be stored now, or is refused permanently. A
// refusal ends the job for the minion: an error with the reason is stored in place of the return
// and goes up the tree. Otherwise the connected minion, which is done, would stay pending forever.

// refuseReturn stores an error in place of a return that can never be accepted. Only a sender with
// a proven id may cause that; for others it returns why.
func (s *Service) refuseReturn(ctx context.Context, r *server.Request, ret wire.Return, why error) error {
	proven := r.Version >= 3 || r.Proven
	if err := s.mayReturn(r, ret); err != nil || !proven || !jid.Valid(ret.JID) {
		return why
	}
	res, err := s.resourceOf(r, ret)
	if err != nil || s.excludes(ret.JID, ret.ID, res) || s.o.Peers.Probed(ret.JID) {
		return why
	}
	sender := ret.ID
	//mutant:resource-unusable
	ret.ID = cmp.Or(res, ret.ID) // the error replaces the resource's return
	row, err := s.errorRow(ret, sender, why)
	if err != nil {
		return err
	}
	return s.keep(ctx, []returners.Return{row}, nil)
}

// errorRow records a permanently rejected return, and returns the error to store in its place.
func (s *Service) errorRow(ret wire.Return, path string, why error) (returners.Return, error) {
	s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfUnusable, Path: path, ID: ret.ID, JID: ret.JID, Err: why})
	s.refused.note(Recent{ID: ret.ID, JID: ret.JID, Why: why.Error(), Since: s.o.Now()})
	ret, err := ErrorInPlace(ret, s.o.Node, why)
	if err != nil {
		return returners.Return{}, err
	}
	return RowOf(ret, s.o.Now()), nil
}
