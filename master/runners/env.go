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

// Env is what a runner may ask its master.
type Env interface {
	// Jobs reads the job cache; name is what ext_source says, "" the one that
	// the configuration names.
	Jobs(ctx context.Context, name string) (returners.Reader, error)
	// State gives the account of a job that is open or was closed lately.
	State(jid string) (engine.Account, bool)
	// ActiveBelow gives what jobs.active says at each node right below; nodes that
	// did not answer are left out.
	ActiveBelow(ctx context.Context) map[string]*wire.Map
	// Active lists the jids of the open jobs.
	Active() []string
	// Tree gives the tree from this master down.
	Tree() topology.Node
	// Trace tells where a job is from this master down.
	Trace(ctx context.Context, jid string) (trace.Step, error)
	// Target reads a target with this master's node groups.
	Target(tgt any, tgtType string) (target.Expr, error)
	// Ask runs a function on minions of the whole tree and waits until all have
	// answered or are known not to.
	Ask(ctx context.Context, q Question) (Answers, error)
	// DeleteKey removes the accepted key of a minion of this master itself;
	// false when it has none.
	DeleteKey(id string) (bool, error)
	// Timeouts are the master's options timeout and gather_job_timeout.
	Timeouts() (timeout, gather time.Duration)
}

// Question is a job that a runner needs the answers of.
type Question struct {
	Tgt     any // text, or []string for a list
	TgtType string
	Fun     string
	Args    []any
	Kwargs  *wire.Map // nil: none
	Ret     string    // returners of the minions
	// RetConfig names the alternative options of these returners, RetKwargs are single ones
	// that replace them; "" and nil: none.
	RetConfig string
	RetKwargs *wire.Map
	// Long has whoever is known to be at work waited for, as long as it takes; else all
	// is over after Timeout and Gather.
	Long bool
	// Timeout is when minions without presence are asked whether they still run
	// the job, Gather how long they have to answer. Who has not answered after
	// both counts as missing.
	Timeout, Gather time.Duration
}

// Arguments are those of the function as a publication has them.
func (q Question) Arguments() []any {
	args := append([]any{}, q.Args...)
	if q.Kwargs.Len() > 0 {
		kw := q.Kwargs.Clone()
		kw.Set("__kwarg__", true)
		args = append(args, kw)
	}
	return args
}

// Answers are how a [Question] ended.
type Answers struct {
	JID      string // of the job; "": there was nobody to ask
	Returned map[string]Answer
	Missing  map[string]jobevent.Absence
}

// Answer is the result of one minion.
type Answer struct {
	Value any
	OK    bool // it reported success
}
