package below

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/telemetry"
	"github.com/momtree/mom/topology/trace"
)

// answerTrace answers where a job is.
func (s *Service) answerTrace(ctx context.Context, arg wire.Raw) (any, error) {
	id, err := wire.Str(arg)
	if err != nil || !jid.Valid(id) {
		return nil, errors.Join(fmt.Errorf("%q is not a job id", id), err)
	}
	step, err := s.Trace(ctx, id)
	if err != nil {
		return nil, err
	}
	return step.Map(), nil
}

// Trace returns where a job is, from this master down.
func (s *Service) Trace(ctx context.Context, jid string) (trace.Step, error) {
	f := telemetry.Finder{
		Node: s.o.Node, Ledger: s.o.Jobs, Book: s.o.Traces, Store: s.o.Store, Local: s.o.Store.Local(),
		Ask: func(ctx context.Context, jid string) (map[string]nodecall.Answer, error) {
			return s.Ask(ctx, nil, askTrace, jid)
		},
	}
	return f.Find(ctx, jid)
}
