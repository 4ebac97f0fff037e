package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// chunkSession is what chunks may do for a user; see [Session].
type chunkSession interface {
	jobRunner
	runnerCaller
	wheelCaller
}

// chunkRunner runs the chunks of low data.
type chunkRunner struct {
	as      func(client.Login) chunkSession
	enabled []string // names of clients
	local   *localClient
	runner  *runnerClient
	wheel   *wheelClient
	// noMatch is the result of a job that no minion matched; "" for an empty map.
	noMatch string
}

// noMatchText is the result in rest_tornado.
const noMatchText = "No minions matched the target. No command was sent, no jid was assigned."

func noMatchOf(d Dialect) string {
	if d == Tornado {
		return noMatchText
	}
	return ""
}

// run runs one chunk under a login.
func (r *chunkRunner) run(ctx context.Context, l client.Login, ch lowdata.Chunk) result {
	name := ch.Client()
	if err := r.checkClient(name); err != nil {
		return result{err: err}
	}
	out := r.call(ctx, r.as(l), name, ch)
	if errors.Is(out.err, client.ErrNoMatch) {
		if r.noMatch != "" {
			return result{values: []any{r.noMatch}}
		}
		return result{values: []any{value.NewMap()}}
	}
	return out
}

func (r *chunkRunner) call(ctx context.Context, by chunkSession, name string, ch lowdata.Chunk) result {
	switch name {
	case "local":
		return r.local.run(ctx, by, ch)
	case "local_async":
		return r.local.start(ctx, by, ch)
	case "local_batch":
		return r.local.batch(ctx, by, ch)
	case "local_subset":
		return r.local.subset(ctx, by, ch)
	case "runner":
		return r.runner.run(ctx, by, ch)
	case "runner_async":
		return r.runner.start(ctx, by, ch)
	case "wheel":
		return r.wheel.run(ctx, by, ch)
	}
	return r.wheel.start(ctx, by, ch)
}

// chunkClients are the clients that exist.
var chunkClients = []string{"local", "local_async", "local_batch", "local_subset", "runner", "runner_async", "wheel", "wheel_async"}

// checkClient refuses a client that is unknown or not enabled.
func (r *chunkRunner) checkClient(name string) error {
	switch {
	case name == "ssh":
		return Refuse(http.StatusBadRequest, "Client disabled: 'ssh'. Salt SSH is not part of this server.")
	case !slices.Contains(chunkClients, name):
		if len(name) > 60 {
			name = name[:60] + "…"
		}
		return Refuse(http.StatusBadRequest, fmt.Sprintf("Invalid client specified: '%s'", name))
	case !slices.Contains(r.enabled, name):
		return Refuse(http.StatusBadRequest, fmt.Sprintf("Client disabled: '%s'. Add to 'netapi_enable_clients' master config option to enable.", name))
	}
	return nil
}
