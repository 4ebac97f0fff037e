package peercall

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/callargs"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/runners"
)

// errNoRunner is returned for a load with missing fields.
var errNoRunner = errors.New("fun or arg is missing")

// runner calls a runner of this master for a minion and returns its result. As in Salt, the result
// of a failed runner is the text of its error.
func (s *Service) runner(ctx context.Context, id string, d *wire.Map) (any, error) {
	fun := d.String("fun")
	arg, ok := d.Get("arg")
	if fun == "" || !ok {
		return nil, errNoRunner
	}
	list, ok := arg.([]any)
	if !ok {
		list = []any{arg}
	}
	args, kwargs := callargs.Separate(callargs.ParseAny(list, wire.Texts(d.List("no_parse"))))
	call := runners.Bind(runners.Request{Fun: fun, Args: args, Kwargs: kwargs})
	q := access.Asked{Kind: "runner", Door: "peer", User: id, Fun: fun, Call: access.ShownCall(call)}
	if runners.Private(fun) {
		q.Call = access.Call{Fun: fun}
	}
	v := s.o.Rules.JudgeRunner(id, call)
	if q.Allowed = v.Allowed; !v.Allowed {
		q.Reason = v.String()
	}
	s.o.Audit(q)
	//mutant:peer-runner
	if !v.Allowed {
		return nil, fmt.Errorf("runner %s: %s (option peer_run)", fun, v.String())
	}
	//mutant:peer-one-minion
	give, err := s.shares.Take(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("runner %s: wait for its others: %w", fun, err)
	}
	defer give()
	if !s.waiting.TryTake() {
		return "ERROR: as many minions wait for jobs and runners as may; try again later", nil
	}
	defer s.waiting.Give()
	ctx, cancel := context.WithTimeout(ctx, maxTimeout)
	defer cancel()
	value, err := s.o.Runners.Do(ctx, call, runners.Start{JID: s.o.JID(), User: s.o.Own})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("ERROR: runner %s was not done within %v; it goes on", fun, maxTimeout), nil
	case err != nil && value == nil:
		return err.Error(), nil
	}
	return value, nil
}
