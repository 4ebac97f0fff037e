package runnerenv

import (
	"cmp"
	"context"
	"time"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/mine"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/wheels"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
)

var (
	_ runners.Explainer  = Env{}
	_ runners.Worker     = Env{}
	_ runners.Timekeeper = Env{}
	_ runners.Miner      = Env{}
	_ runners.FileServer = Env{}
	_ runners.Reacting   = Env{}
)

// Env gives the calls of one user access to the master.
type Env struct {
	s     *Service
	p     *Options
	owner access.Owner
	alone bool // asks no other master for jobs
}

// State returns the account of a job that is open or closed lately.
func (e Env) State(jid string) (engine.Account, bool) { return e.p.Jobs.State(jid) }

// Queued lists the queued jobs of the tree.
func (e Env) Queued(ctx context.Context) (*wire.Map, error) {
	return e.p.Publications.QueuedTree(ctx, e.p.Below)
}

// Dequeue withdraws a queued job.
func (e Env) Dequeue(ctx context.Context, jid string) ([]string, map[string]string, error) {
	return e.p.Publications.DequeueTree(ctx, e.p.Below, jid)
}

// Active returns the ids of the open jobs of this master.
func (e Env) Active() []string { return e.p.Jobs.Active() }

// Tree returns the tree from this master down.
func (e Env) Tree() topology.Node {
	n := e.p.Tree.Snapshot()
	n.Tops = e.p.Cluster.Tops()
	return n
}

// Trace asks the nodes below for the progress of a job.
func (e Env) Trace(ctx context.Context, jid string) (trace.Step, error) {
	return e.p.Below.Trace(ctx, jid)
}

// Target parses a target; it may use the node groups of this master.
func (e Env) Target(tgt any, tgtType string) (target.Expr, error) {
	return target.Parse(tgt, tgtType, target.Options{Nodegroups: e.p.Config.Nodegroups})
}

// ExplainAccess applies the rules to a target as the start of a job does, without starting one.
func (e Env) ExplainAccess(q access.Question, tgt any, tgtType string) (verdict.Verdict, error) {
	switch q.Kind {
	case access.Runner:
		q.Bound = runners.Bind(q.Request)
	case access.Wheel:
		q.Bound = wheels.Bind(q.Request)
	case access.Minions:
		q.Calls = []access.Call{access.NewCall(q.Request.Fun, q.Request.Args, q.Request.Kwargs)}
	}
	return e.p.Control.Explain(q, func() (access.Reach, error) {
		if err := target.Clean(tgt, tgtType); err != nil {
			return access.Reach{}, err
		}
		to, kind, err := target.ExpandTarget(tgt, cmp.Or(tgtType, "glob"), e.p.Config.Nodegroups)
		if err != nil {
			return access.Reach{}, err
		}
		a, err := e.p.Policy.Match(to, kind, "")
		if err != nil {
			return access.Reach{}, err
		}
		return e.p.Control.ReachOf(a, e.p.Tree.Node), nil
	})
}

// Timeouts returns the options timeout and gather_job_timeout.
func (e Env) Timeouts() (timeout, gather time.Duration) {
	return e.p.Config.Timeout, e.p.Config.GatherJobTimeout
}

// DeleteKey deletes an accepted key and reports whether it existed.
func (e Env) DeleteKey(id string) (bool, error) {
	done, err := e.p.Keys.Editor().Delete(keys.Selection{keys.Accepted: {id}})
	return len(done) > 0, err
}

// waitedFor limits the minions named for each job in a list of jobs.
const waitedFor = 5

// Inflight serves the runner jobs.inflight.
func (e Env) Inflight(limit int) runners.Inflight {
	jobs, open := e.p.Jobs.Summaries(limit, waitedFor)
	return runners.Inflight{
		Jobs: jobs, Open: open, Returned: e.p.Stats.Returns.Load(), Closed: e.p.Stats.Completed.Load(), At: e.p.Now(),
	}
}

// Mine returns mine entries of the minions from this master down.
func (e Env) Mine(ctx context.Context, tgt any, tgtType string, names []string) (map[string]map[string]any, map[string]string, error) {
	return e.p.Mine.All(ctx, mine.Question{Tgt: tgt, TgtType: tgtType, Names: names})
}

// Files returns the file server.
func (e Env) Files() *files.Server { return e.p.Files }

// Reactor returns the reactor of this master.
func (e Env) Reactor() runners.Reactor { return e.p.Reactors }

// Failover serves the runners that control failover.
func (e Env) Failover() runners.Failover {
	if e.p.Failover == nil {
		return nil
	}
	return e.p.Failover
}
