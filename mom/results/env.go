package results

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/api"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/mysql"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
)

// maxListed bounds the jobs that are listed: the latest. Nobody removes jobs of a database
// for the sake of a reader.
const maxListed = 10_000

// env is the master that a runner sees in one call: a job cache, and nothing else.
type env struct {
	*mysql.Store
	seen map[string]bool // jobs that are in the database
	err  error           // of the database
}

var _ runners.Env = (*env)(nil)

func newEnv(s *mysql.Store) *env { return &env{Store: s, seen: map[string]bool{}} }

// Jobs implements [runners.Env].
func (e *env) Jobs(_ context.Context, name string) (returners.Reader, error) {
	if name != "" && name != mysql.Name {
		return nil, fmt.Errorf("ext_source=%s: this API has the job cache %s alone", name, mysql.Name)
	}
	return e, nil
}

func (e *env) note(err error) error {
	if err != nil {
		e.err = err
	}
	return err
}

// GetLoad implements [returners.Reader], as do those below.
func (e *env) GetLoad(ctx context.Context, jid string) (returners.Load, bool, error) {
	l, ok, err := e.Store.GetLoad(ctx, jid)
	e.seen[jid] = e.seen[jid] || ok
	return l, ok, e.note(err)
}

func (e *env) GetReturns(ctx context.Context, jid string) ([]returners.Return, error) {
	rets, err := e.Store.GetReturns(ctx, jid)
	e.seen[jid] = e.seen[jid] || len(rets) > 0
	return rets, e.note(err)
}

func (e *env) GetReturn(ctx context.Context, jid, id string) (returners.Return, bool, error) {
	ret, ok, err := e.Store.GetReturn(ctx, jid, id)
	e.seen[jid] = e.seen[jid] || ok
	return ret, ok, e.note(err)
}

func (e *env) GetExpectations(ctx context.Context, jid string) ([]returners.Expectation, error) {
	xs, err := e.Store.GetExpectations(ctx, jid)
	return xs, e.note(err)
}

func (e *env) ListJobs(ctx context.Context, f returners.Filter) ([]returners.Load, error) {
	if f.Limit <= 0 || f.Limit > maxListed {
		f.Limit = maxListed
	}
	loads, err := e.Store.ListJobs(ctx, f)
	return loads, e.note(err)
}

// State is that of an open job for all that are in the database: whether one has ended is
// known to the masters, so that nobody is called missing who is not recorded as such.
func (e *env) State(jid string) (engine.Account, bool) {
	return engine.Account{JID: jid}, e.seen[jid]
}

func (e *env) ActiveBelow(context.Context) map[string]*wire.Map  { return nil }
func (e *env) ActiveAtTops(context.Context) map[string]*wire.Map { return nil }
func (e *env) Active() []string                                  { return nil }
func (e *env) Tree() topology.Node                               { return topology.Node{} }

// Trace needs a master, as do those below.
func (e *env) Trace(context.Context, string) (trace.Step, error) {
	return trace.Step{}, api.ErrNoMaster
}

func (e *env) Target(any, string) (target.Expr, error) { return nil, api.ErrNoMaster }

func (e *env) Ask(context.Context, runners.Question) (runners.Answers, error) {
	return runners.Answers{}, api.ErrNoMaster
}

func (e *env) DeleteKey(string) (bool, error)            { return false, api.ErrNoMaster }
func (e *env) Timeouts() (timeout, gather time.Duration) { return 0, 0 }
