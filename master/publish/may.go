package publish

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/server"
)

// May tells whether the sender of a load may start its job, and starts none. The error is one of
// [Service.Give]. It judges a batch as a whole before the first slice is published.
func (s *Service) May(ctx context.Context, load wire.Raw, by access.By) error {
	j, _, _, err := s.taken(ctx, load, by)
	if err == nil && j.Nobody() {
		return nobody(j)
	}
	return err
}

// taken reads the load of a job and asks whether its sender may start it.
func (s *Service) taken(ctx context.Context, load wire.Raw, by access.By) (*Job, wire.PublishLoad, []access.Call, error) {
	p, err := wire.ParsePublishLoad(load)
	if err == nil {
		//mutant:deep-arguments-are-refused
		err = wire.FitFields(load, s.o.Config.Bounds.Depth)
	}
	if err != nil {
		return nil, p, nil, server.Invalid("publish: %v", err)
	}
	calls, err := access.Calls(p)
	if err != nil {
		return nil, p, nil, server.Invalid("publish: %v", err)
	}
	_, span := s.span(ctx, "salt.job.match", p.JID)
	j, _, err := s.admit(p, by, calls)
	span.End(err)
	if err != nil {
		var no server.Refusal
		if !errors.As(err, &no) {
			return nil, p, calls, server.Invalid("%v", err)
		}
		s.audit("publish", by, &p, calls, nil, err)
		s.o.Refused("publish", by.Name(p.User), wire.FunName(p.Fun))
		return nil, p, calls, no
	}
	return j, p, calls, nil
}

// Kept takes out of the kwargs of a load what speaks to the master alone, such as what a user has
// logged in with. The rest may be stored.
func Kept(kwargs *wire.Map) *wire.Map {
	out := kwargs.Clone()
	for _, field := range notOfTheJob {
		out.Delete(field)
	}
	return out
}
