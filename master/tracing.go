package master

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/tracer"
)

// answerTrace answers where a job is.
func (m *Master) answerTrace(ctx context.Context, arg wire.Raw) (any, error) {
	id, err := wire.Str(arg)
	if err != nil || !jid.Valid(id) {
		return nil, errors.Join(fmt.Errorf("%q is not a job id", id), err)
	}
	s, err := m.finder().Find(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.Map(), nil
}

// finder gathers where a job is from this master down.
func (m *Master) finder() *tracer.Finder {
	return &tracer.Finder{
		Node: m.node, Ledger: m.jobs, Book: m.traces, Store: m.store, Local: m.store.Local(),
		Ask: func(ctx context.Context, jid string) (map[string]nodecall.Answer, error) {
			return m.askNodes(ctx, nil, askTrace, jid)
		},
	}
}
