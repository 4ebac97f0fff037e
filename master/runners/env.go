package runners

import (
	"context"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
)

// Env is what runners use of their master.
type Env interface {
	// Jobs returns a reader of the job cache. name is the value of ext_source; "" means the job
	// cache of the configuration.
	Jobs(ctx context.Context, name string) (returners.Reader, error)
	// State returns the account of a job that is open or was closed recently.
	State(jid string) (engine.Account, bool)
	// ActiveBelow returns the answers to jobs.active from the nodes directly below. Nodes that did
	// not answer are absent.
	ActiveBelow(ctx context.Context) map[string]*wire.Map
	// ActiveAtTops returns the answers to jobs.active from the other tops of the cluster.
	ActiveAtTops(ctx context.Context) map[string]*wire.Map
	// Active lists the jids of the open jobs.
	Active() []string
	// Tree returns the tree from this master down.
	Tree() topology.Node
	// Trace returns the progress of a job from this master down.
	Trace(ctx context.Context, jid string) (trace.Step, error)
	// Target parses a target with this master's node groups.
	Target(tgt any, tgtType string) (target.Expr, error)
	// Ask runs a function on minions of the whole tree. It blocks until all have answered or are
	// known to be missing.
	Ask(ctx context.Context, q Question) (Answers, error)
	// DeleteKey removes the accepted key of a minion of this master. It returns false if there is
	// no such key.
	DeleteKey(id string) (bool, error)
	// Timeouts returns the options timeout and gather_job_timeout.
	Timeouts() (timeout, gather time.Duration)
}

// Accounts is implemented by a job cache that includes those of other tops. Account returns the
// account of a job that is open at another top and unknown here.
type Accounts interface {
	Account(ctx context.Context, jid string) (engine.Account, bool)
}

// Question is a job whose answers a runner needs.
type Question struct {
	Tgt     any // string, or []string for a list
	TgtType string
	Fun     string
	Args    []any
	Kwargs  *wire.Map // may be nil
	Ret     string    // returners of the minions
	// RetConfig names the alternative options of the returners; "" means none. RetKwargs are single
	// options that replace them; nil means none.
	RetConfig string
	RetKwargs *wire.Map
	// Long waits for minions that are known to run the job, however long they take. Without it, the
	// job ends after Timeout and Gather.
	Long bool
	// Timeout is when minions of unknown presence are asked whether they still run the job. Gather
	// is how long they have to answer. A minion that has not answered after both counts as missing.
	Timeout, Gather time.Duration
}

// Arguments returns the arguments of the function in the form of a publication.
func (q Question) Arguments() []any {
	args := append([]any{}, q.Args...)
	if q.Kwargs.Len() > 0 {
		kw := q.Kwargs.Clone()
		kw.Set("__kwarg__", true)
		args = append(args, kw)
	}
	return args
}

// Answers is the outcome of a [Question].
type Answers struct {
	JID      string // of the job; "" if no minion matched
	Returned map[string]Answer
	Missing  map[string]jobevent.Absence
}

// Answer is the result of one minion.
type Answer struct {
	Value any
	OK    bool // it reported success
}
