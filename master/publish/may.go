package publish

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/server"
)

// CheckLoad reports whether the sender may start the job of a load, without starting it. Errors
// are those of [Service.PublishLoad]. A batch is checked as a whole before its first slice.
func (s *Service) CheckLoad(ctx context.Context, load wire.Raw, by access.By) error {
	j, _, _, err := s.admitLoad(ctx, load, by)
	if err == nil && j.Nobody() {
		return noMatch(j)
	}
	return err
}

// admitLoad parses a load and checks the access rules.
func (s *Service) admitLoad(ctx context.Context, load wire.Raw, by access.By) (*Job, wire.PublishLoad, []access.Call, error) {
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

// StorableKwargs returns the kwargs of a load without those meant for this master only, such as
// credentials.
func StorableKwargs(kwargs *wire.Map) *wire.Map {
	out := kwargs.Clone()
	for _, field := range privateKwargs {
		out.Delete(field)
	}
	return out
}
