package master

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/below"
	"github.com/momtree/mom/master/jobs/ledger"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
)

var (
	_ runners.Explainer  = runnerEnv{}
	_ runners.Worker     = runnerEnv{}
	_ runners.Timekeeper = runnerEnv{}
	_ runners.Explainer  = runnerEnv{}
)

// runnerEnv lets runners look at the master and work with it.
type runnerEnv struct {
	m    *Master
	user string
}

// Jobs reads the embedded store and the configured job cache as one: what is on
// its way into the latter is in the former.
func (e runnerEnv) Jobs(ctx context.Context, name string) (returners.Reader, error) {
	local, configured := e.m.store.Local(), e.m.store.Reader(ctx)
	own := e.m.cacheName()
	switch name {
	case "":
		if configured == local {
			return below.Whole{Reader: local, Below: e.m.below}, nil
		}
		return below.Whole{Reader: runners.Union(local, configured), Below: e.m.below, SQL: configured}, nil
	case "local_cache":
		return local, nil
	case own:
		if configured == local {
			return nil, fmt.Errorf("the job cache %s cannot be reached; ext_source=local_cache reads what this master has itself", own)
		}
		return configured, nil
	}
	if own == "" {
		return nil, fmt.Errorf("ext_source=%s: this master has the job cache local_cache alone", name)
	}
	return nil, fmt.Errorf("ext_source=%s: this master has the job caches local_cache and %s", name, own)
}

func (e runnerEnv) State(jid string) (ledger.Account, bool) { return e.m.jobs.State(jid) }
func (e runnerEnv) ActiveBelow(ctx context.Context) map[string]*wire.Map {
	return e.m.below.Active(ctx)
}

// Queued lists the queued jobs of the tree.
func (e runnerEnv) Queued(ctx context.Context) (*wire.Map, error) {
	return e.m.publications.QueuedTree(ctx)
}

// Dequeue takes a queued job back.
func (e runnerEnv) Dequeue(ctx context.Context, jid string) ([]string, map[string]string, error) {
	return e.m.publications.DequeueTree(ctx, jid)
}

func (e runnerEnv) Active() []string    { return e.m.jobs.Active() }
func (e runnerEnv) Tree() topology.Node { return e.m.tree.Snapshot() }

func (e runnerEnv) Trace(ctx context.Context, jid string) (trace.Step, error) {
	return e.m.below.Trace(ctx, jid)
}

func (e runnerEnv) Target(tgt any, tgtType string) (target.Expr, error) {
	return target.Parse(tgt, tgtType, target.Options{Nodegroups: e.m.cfg.Nodegroups})
}

// ExplainAccess holds the rules against a target as the start of a job does, and starts
// none.
func (e runnerEnv) ExplainAccess(q access.Question, tgt any, tgtType string) (verdict.Verdict, error) {
	return e.m.access.Explain(q, func() (access.Reach, error) {
		to, kind, err := target.ExpandTarget(tgt, cmp.Or(tgtType, "glob"), e.m.cfg.Nodegroups)
		if err != nil {
			return access.Reach{}, err
		}
		a, err := e.m.policy.Match(to, kind, "")
		if err != nil {
			return access.Reach{}, err
		}
		return e.m.access.ReachOf(a, e.m.tree.Node), nil
	})
}

func (e runnerEnv) Timeouts() (timeout, gather time.Duration) {
	return e.m.cfg.Timeout, e.m.cfg.GatherJobTimeout
}

func (e runnerEnv) DeleteKey(id string) (bool, error) {
	done, err := e.m.keys.Desk().Delete(keys.Selection{keys.Accepted: {id}})
	return len(done) > 0, err
}

// waitedFor is how many minions of each job are named in a list of jobs.
const waitedFor = 5

// Inflight serves the runner jobs.inflight.
func (e runnerEnv) Inflight(limit int) runners.Inflight {
	jobs, open := e.m.jobs.Summaries(limit, waitedFor)
	return runners.Inflight{
		Jobs: jobs, Open: open, Returned: e.m.stats.Returns.Load(), Closed: e.m.stats.Completed.Load(), At: e.m.now(),
	}
}

// Ask publishes a job as a client would and waits for its account to close.
func (e runnerEnv) Ask(ctx context.Context, q runners.Question) (runners.Answers, error) {
	m := e.m
	p := wire.PublishLoad{TgtType: q.TgtType, Ret: q.Ret, User: e.user}
	var err error
	if p.Tgt, err = wire.Encode(q.Tgt); err != nil {
		return runners.Answers{}, fmt.Errorf("encode the target: %w", err)
	}
	if p.Fun, err = wire.Encode(q.Fun); err != nil {
		return runners.Answers{}, fmt.Errorf("encode the function: %w", err)
	}
	if p.Arg, err = wire.Encode(q.Arguments()); err != nil {
		return runners.Answers{}, fmt.Errorf("encode the arguments: %w", err)
	}
	if q.RetConfig != "" || q.RetKwargs.Len() > 0 {
		extra := wire.NewMap()
		if q.RetConfig != "" {
			extra.Set("ret_config", q.RetConfig)
		}
		if q.RetKwargs.Len() > 0 {
			extra.Set("ret_kwargs", q.RetKwargs)
		}
		if p.Kwargs, err = wire.Encode(extra); err != nil {
			return runners.Answers{}, fmt.Errorf("encode the options of returners: %w", err)
		}
	}
	// Salt counts whole seconds.
	if p.Timeout, err = wire.Encode(int64((q.Timeout + time.Second - 1) / time.Second)); err != nil {
		return runners.Answers{}, fmt.Errorf("encode the timeout: %w", err)
	}
	j, err := m.publisher.Read(p, true)
	if err != nil || j.Nobody() {
		return runners.Answers{}, err
	}
	end := jobevent.TagComplete(j.JID)
	sub := m.bus.Subscribe(bus.SubscribeOptions{Prefix: end, Size: 4})
	defer sub.Close()
	defer m.store.KeepResults(j.JID)()
	m.reactor.Begin(j.JID, runners.CallOf(ctx))
	if err := m.publisher.Start(ctx, j); err != nil {
		return runners.Answers{}, err
	}
	m.reactor.Began(j.JID, j.Minions)
	wait := ctx
	if !q.Long {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, q.Timeout+q.Gather)
		defer cancel()
	}
	select {
	case <-sub.C():
	case <-wait.Done():
	}
	if err := m.ctx.Err(); q.Long && err != nil {
		return runners.Answers{}, fmt.Errorf("job %s goes on, but the master ends: %w", j.JID, err)
	}
	return e.answersOf(ctx, j.JID)
}

// answersOf is what is known of a job now: who is waited for counts as missing. Results of
// which digests came up are fetched from where they are.
func (e runnerEnv) answersOf(ctx context.Context, jid string) (runners.Answers, error) {
	m := e.m
	account, _ := m.jobs.State(jid)
	whole := below.Whole{Reader: m.store.Local(), Below: m.below}
	if configured := m.store.Reader(ctx); configured != whole.Reader {
		whole.SQL = configured
	}
	rets, err := whole.GetReturns(ctx, jid)
	if err != nil {
		return runners.Answers{}, fmt.Errorf("read the answers: %w", err)
	}
	a := runners.Answers{JID: jid, Returned: map[string]runners.Answer{}, Missing: account.Missing}
	if a.Missing == nil {
		a.Missing = map[string]jobevent.Absence{}
	}
	for id, path := range account.Waiting {
		a.Missing[id] = jobevent.Absence{Reason: ledger.NoResponse, Path: path}
	}
	for _, r := range rets {
		v, err := wire.Decode(r.Value)
		if err != nil {
			return a, fmt.Errorf("the answer of %s: %w", r.ID, err)
		}
		a.Returned[r.ID] = runners.Answer{Value: v, OK: r.Success && r.Retcode == 0}
		delete(a.Missing, r.ID)
	}
	return a, nil
}
