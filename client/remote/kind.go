package remote

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"

	"github.com/momtree/mom/value"
)

// kind is the kind of API: mom's, which has streams of jobs, or Salt's. It is detected once,
// by mom's OpenAPI document.
type kind struct {
	mu    sync.Mutex
	known bool
	ours  bool
}

// streams reports whether the API has streams of jobs. If the API does not answer it returns an
// error, and the next call tries again.
func (c *Client) streams(ctx context.Context) (bool, error) {
	c.kind.mu.Lock()
	defer c.kind.mu.Unlock()
	if c.kind.known {
		return c.kind.ours, nil
	}
	v, err := c.ask(ctx, question{method: http.MethodGet, path: "/openapi.json", limit: smallAnswer, time: c.o.Timeout})
	if e, ok := errors.AsType[*StatusError](err); ok && slices.Contains([]int{401, 403, 404, 405}, e.Status) {
		err = nil // no such document
	}
	if err != nil {
		return false, err
	}
	doc, _ := v.(*value.Map)
	c.kind.known, c.kind.ours = true, doc.Map("paths").Has("/jobs/{jid}/stream")
	if !c.kind.ours {
		c.warn.Do(func() {
			c.o.Log.Warn("the API is Salt's own: missing minions are unknown and results arrive only at the end", "url", c.URL())
		})
	}
	return c.kind.ours, nil
}
