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
	Dequeue(ctx context.Context, jid string) (minions []string, untold map[string]string, err error)
}

func init() {
	Register(
		Function{Name: "jobs.queued", Run: jobsQueued, Doc: `
The jobs that wait for minions which were offline when the job was published
with --queue: until when, for which minions, the path of nodes to each, and
whether a minion was given the job and has not answered yet.

    salt-run jobs.queued
`},
		Function{Name: "jobs.dequeue", Args: []string{"jid"}, Run: jobsDequeue, Doc: `
Take a queued job back: minions that have not returned yet do not get it any
more. What has been given to a minion is not stopped.

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
	minions, untold, err := q.Dequeue(ctx, id)
	if err != nil {
		return nil, err
	}
	out := wire.NewMap("jid", id, "dequeued", minions)
	if len(untold) > 0 {
		nodes := wire.NewMap()
		for node, why := range untold {
			nodes.Set(node, why)
		}
		out.Set("nodes_not_told", nodes)
	}
	return out, nil
}
