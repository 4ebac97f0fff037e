package remote

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"

	"github.com/momtree/mom/value"
)

// kind is which API it is: one of ours, which has streams of jobs, or one of Salt's. It is
// found out once, by the document that ours has of itself.
type kind struct {
	mu    sync.Mutex
	known bool
	ours  bool
}

// streams tells whether the API has streams of jobs. An API that does not answer is an
// error, and is asked again.
func (c *Client) streams(ctx context.Context) (bool, error) {
	c.kind.mu.Lock()
	defer c.kind.mu.Unlock()
	if c.kind.known {
		return c.kind.ours, nil
	}
	v, err := c.ask(ctx, question{method: http.MethodGet, path: "/openapi.json", limit: smallAnswer, time: c.o.Timeout})
	if e, ok := errors.AsType[*StatusError](err); ok && slices.Contains([]int{401, 403, 404, 405}, e.Status) {
		err = nil // there is none
	}
	if err != nil {
		return false, err
	}
	doc, _ := v.(*value.Map)
	c.kind.known, c.kind.ours = true, doc.Map("paths").Has("/jobs/{jid}/stream")
	if !c.kind.ours {
		c.warn.Do(func() {
			c.o.Log.Warn("the API is Salt's own: missing minions are unknown and results arrive only at the end", "url", c.base.String())
		})
	}
	return c.kind.ours, nil
}
