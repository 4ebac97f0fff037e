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

// A return ends in one of three ways: it is stored; nothing can be stored just now and
// it comes again; or it can never be taken. The last is a verdict, and a verdict ends
// the job for that minion: an error is stored in the place of the return, goes up the
// tree as one, and says why. Otherwise the minion, which is connected and has done its
// work, would be waited for without end.

// refuseReturn ends the job of a return that can never be taken. That is its sender's
// own doing, so it needs to be proven who that is; of others the error is given back.
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
	ret.ID = cmp.Or(res, ret.ID) // the error stands in its place, and not in the minion's
	row, err := s.unusable(ret, sender, why)
	if err != nil {
		return err
	}
	return s.keep(ctx, []returners.Return{row}, nil)
}

// unusable counts and tells a return that can never be taken, and gives the error
// that is stored in its place.
func (s *Service) unusable(ret wire.Return, path string, why error) (returners.Return, error) {
	s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfUnusable, Path: path, ID: ret.ID, JID: ret.JID, Err: why})
	s.refused.note(Recent{ID: ret.ID, JID: ret.JID, Why: why.Error(), Since: s.o.Now()})
	ret, err := ErrorInPlace(ret, s.o.Node, why)
	if err != nil {
		return returners.Return{}, err
	}
	return RowOf(ret, s.o.Now()), nil
}
