package runners

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/topology"
)

const manageTargets = `
tgt, tgt_type : *, glob
    The minions to check.

timeout, gather_job_timeout
    How long to wait for minions of unknown presence. Default: the options of the master of
    these names.
`

func init() {
	args := []string{"tgt=", "tgt_type=", "timeout=", "gather_job_timeout="}
	Register(
		Function{Name: "manage.status", Args: append([]string{"output="}, args...), Run: manageStatus, Doc: `
The minions of the whole tree that are up and those that are down. Nodes are not listed.
Only minions of unknown presence are sent a test.ping. A minion behind a node that is down
is down.

output
    Has no effect, as in Salt.
` + manageTargets + `
    salt-run manage.status
    salt-run manage.status tgt='web*'
`},
		Function{Name: "manage.up", Args: args, Run: func(ctx context.Context, c *Call) (any, error) {
			up, _, err := status(ctx, c)
			return up, err
		}, Doc: `
The minions that are up; see manage.status.
` + manageTargets + `
    salt-run manage.up
`},
		Function{Name: "manage.down", Args: append([]string{"removekeys="}, args...), Run: manageDown, Doc: `
The minions that are down; see manage.status.

removekeys : False
    Delete the keys of these minions. Keys of minions behind a node are at that node and
    stay.
` + manageTargets + `
    salt-run manage.down
    salt-run manage.down removekeys=True
`},
	)
	for _, name := range []string{"present", "alived", "joined", "allowed", "reaped", "list_state"} {
		Register(Function{Name: "manage." + name, Args: presenceArgs, Run: presence(topology.Up), Doc: `
The connected minions of the whole tree. Nothing is sent to minions. Minions behind a
Python syndic are unknown, and so are those not yet identified after a start; see
manage.up.
` + presenceDoc + `
    salt-run manage.` + name + `
`})
	}
	for _, name := range []string{"not_present", "not_alived", "not_joined", "not_allowed", "not_reaped", "list_not_state"} {
		Register(Function{Name: "manage." + name, Args: presenceArgs, Run: presence(topology.Down), Doc: `
The minions of the whole tree that are known to be disconnected. Nothing is sent to
minions. Minions behind a Python syndic are unknown, and so are those not yet identified
after a start; see manage.down.
` + presenceDoc + `
    salt-run manage.` + name + `
`})
	}
}

func manageStatus(ctx context.Context, c *Call) (any, error) {
	up, down, err := status(ctx, c)
	if err != nil {
		return nil, err
	}
	return wire.NewMap("up", up, "down", down), nil
}

func manageDown(ctx context.Context, c *Call) (any, error) {
	remove, err := c.Flag("removekeys", false)
	if err != nil {
		return nil, err
	}
	_, down, err := status(ctx, c)
	if err != nil || !remove {
		return down, err
	}
	var errs []error
	var elsewhere []string
	for _, id := range down {
		own, err := c.Env.DeleteKey(id)
		if err != nil {
			errs = append(errs, fmt.Errorf("delete the key of %s: %w", id, err))
		} else if !own {
			elsewhere = append(elsewhere, id)
		}
	}
	if len(elsewhere) > 0 {
		errs = append(errs, fmt.Errorf("the keys of %s are at the nodes above these minions; delete them there", strings.Join(elsewhere, ", ")))
	}
	return down, errors.Join(errs...)
}

// question reads the target and the timeouts of a call.
func question(c *Call, fun string) (Question, target.Expr, error) {
	q := Question{Tgt: "*", TgtType: "glob", Fun: fun}
	if v, ok := c.Given("tgt"); ok {
		q.Tgt = v
	}
	if t := c.Text("tgt_type"); t != "" {
		q.TgtType = t
	}
	timeout, gather := c.Env.Timeouts()
	if c.Timeout() > 0 {
		timeout = c.Timeout()
	}
	var err error
	if q.Timeout, err = c.Seconds("timeout", timeout); err != nil {
		return q, nil, err
	}
	if q.Gather, err = c.Seconds("gather_job_timeout", gather); err != nil {
		return q, nil, err
	}
	expr, err := c.Env.Target(q.Tgt, q.TgtType)
	if err != nil {
		return q, nil, invalid("%w", err)
	}
	return q, expr, nil
}

// status returns the minions of a target that are up and those that are down, both sorted.
func status(ctx context.Context, c *Call) (up, down []string, err error) {
	q, expr, err := question(c, "test.ping")
	if err != nil {
		return nil, nil, err
	}
	states := map[string]bool{}
	all, opaque := leaves(c.Env.Tree())
	var silent []string
	if !expr.NeedsData() {
		for _, l := range all {
			switch {
			case !expr.Match(l):
			case l.state == topology.Unknown:
				silent = append(silent, l.id)
			default:
				states[l.id] = l.state == topology.Up
			}
		}
	}
	answers, err := ask(ctx, c.Env, q, silent, opaque || expr.NeedsData())
	if err != nil {
		return nil, nil, err
	}
	for id := range answers.Returned {
		states[id] = true
	}
	for id := range answers.Missing {
		states[id] = states[id] || false
	}
	up, down = []string{}, []string{}
	for _, id := range slices.Sorted(maps.Keys(states)) {
		if states[id] {
			up = append(up, id)
		} else {
			down = append(down, id)
		}
	}
	return up, down, nil
}

// ask sends a question to the minions of unknown presence, or to the whole target if only the nodes
// below can resolve it. Without anyone to ask, it starts no job.
func ask(ctx context.Context, env Env, q Question, silent []string, whole bool) (Answers, error) {
	if !whole {
		if len(silent) == 0 {
			return Answers{}, nil
		}
		q.Tgt, q.TgtType = silent, "list"
	}
	a, err := env.Ask(ctx, q)
	if err != nil {
		return a, fmt.Errorf("run %s: %w", q.Fun, err)
	}
	maps.DeleteFunc(a.Missing, func(_ string, m jobevent.Absence) bool { return m.Reason == engine.Unknown })
	return a, nil
}
