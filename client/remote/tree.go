package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology"
	"github.com/momtree/mom/topology/trace"
	"github.com/momtree/mom/value"
)

// Tree returns the tree from the master down.
func (c *Client) Tree(ctx context.Context) (topology.Node, error) {
	m, err := c.look(ctx, "/tree", nil, 0, client.RunnerCall{Fun: "topology.tree"})
	if err != nil {
		return topology.Node{}, fmt.Errorf("read the tree: %w", err)
	}
	return topology.FromMap(m)
}

// Trace locates a job in the tree; see [client.Client.Trace]. An unknown job is a
// [*client.RunnerError], as from the runner.
func (c *Client) Trace(ctx context.Context, jid string, wait time.Duration) (trace.Step, error) {
	q := url.Values{}
	if wait > 0 {
		q.Set("timeout", strconv.FormatFloat(wait.Seconds(), 'f', -1, 64))
	}
	m, err := c.look(ctx, "/jobs/"+url.PathEscape(jid)+"/status", q, wait, client.RunnerCall{Fun: "topology.trace", Args: []any{jid}, Timeout: wait})
	if e, ok := errors.AsType[*StatusError](err); ok && e.Status == http.StatusNotFound {
		v, packErr := client.RawOf(trace.Step{State: trace.Unknown}.Map())
		if packErr != nil {
			return trace.Step{}, packErr
		}
		return trace.Step{}, &client.RunnerError{Fun: "topology.trace", Reason: e.Text, Value: v}
	}
	if err != nil {
		return trace.Step{}, fmt.Errorf("trace job %s: %w", jid, err)
	}
	return trace.FromMap(m)
}

// look reads a path of mom's API, which fires no event. On Salt's API it calls the runner, whose
// error says that it does not exist there.
func (c *Client) look(ctx context.Context, path string, q url.Values, wait time.Duration, call client.RunnerCall) (*value.Map, error) {
	ours, err := c.streams(ctx)
	if err != nil {
		return nil, err
	}
	if !ours {
		raw, err := c.CallRunner(ctx, call)
		if err != nil {
			return nil, err
		}
		return raw.Map()
	}
	if q == nil {
		q = url.Values{}
	}
	q.Set("raw", "yes")
	v, err := c.ask(ctx, question{method: http.MethodGet, path: path, query: q, limit: maxAnswer, time: c.o.Timeout + wait})
	if err != nil {
		return nil, err
	}
	m, _ := v.(*value.Map)
	list := m.List("return")
	if len(list) != 1 {
		return nil, errors.New("the API response has no result")
	}
	d, ok := list[0].(*value.Map)
	if !ok {
		return nil, errors.New("the API response is not a map")
	}
	return d, nil
}
