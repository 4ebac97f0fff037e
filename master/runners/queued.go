package runners

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
)

// Queuer is the part of [Env] that jobs.queued and jobs.dequeue use.
type Queuer interface {
	// Queued returns the queued jobs of the tree from this master down: jid to a map of Until and
	// Minions.
	Queued(ctx context.Context) (*wire.Map, error)
	// Dequeue withdraws a queued job in the whole tree. It returns the minions that will not get
	// it, and the nodes that could not be reached, with the reason.
	Dequeue(ctx context.Context, jid string) (minions []string, unreached map[string]string, err error)
}

func init() {
	Register(
		Function{Name: "jobs.queued", Run: jobsQueued, Doc: `
The jobs published with --queue that wait for offline minions: the deadline, the minions,
the path of nodes to each, and whether a minion has received the job and not answered yet.

    salt-run jobs.queued
`},
		Function{Name: "jobs.dequeue", Args: []string{"jid"}, Run: jobsDequeue, Doc: `
Withdraw a queued job: minions that have not received it will not receive it. Minions that
have received it are not stopped.

jid
    The id of the job.

    salt-run jobs.dequeue 20130916125524463507
`},
	)
}

func queuer(c *Call) (Queuer, error) {
	q, ok := c.Env.(Queuer)
	if !ok {
		return nil, errors.New("this master keeps no queue of jobs")
	}
	return q, nil
}

func jobsQueued(ctx context.Context, c *Call) (any, error) {
	q, err := queuer(c)
	if err != nil {
		return nil, err
	}
	return q.Queued(ctx)
}

func jobsDequeue(ctx context.Context, c *Call) (any, error) {
	q, err := queuer(c)
	if err != nil {
		return nil, err
	}
	v, _ := c.Arg("jid")
	id := fmt.Sprint(v)
	if !jid.Valid(id) {
		return nil, fmt.Errorf("jobs.dequeue: %q is not a job id", id)
	}
	minions, unreached, err := q.Dequeue(ctx, id)
	if err != nil {
		return nil, err
	}
	out := wire.NewMap("jid", id, "dequeued", minions)
	if len(unreached) > 0 {
		nodes := wire.NewMap()
		for node, why := range unreached {
			nodes.Set(node, why)
		}
		out.Set("nodes_not_told", nodes)
	}
	return out, nil
}
