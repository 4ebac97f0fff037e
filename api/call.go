package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/momtree/mom/api/listener"
)

// call is one request in progress.
type call struct {
	w     http.ResponseWriter
	r     *http.Request
	ctx   context.Context // of the request
	log   *slog.Logger
	token Token // without a name for a stranger
	// addr is the address of the client, and block the part of it that counts as one stranger.
	addr, block string
	link        listener.Link
	// root is the path before those of all routes.
	root string
	// tokenInURL accepts the token in the query or the path too.
	tokenInURL bool
	held       []held
}

// held is what a call holds of a quota.
type held struct {
	from   *quota
	holder string
	n      int
	conn   *listener.Conn // kept open meanwhile; nil: none
}

// known reports whether the request has shown a valid token.
func (c *call) known() bool { return c.token.Name != "" }

// hold takes n places of a quota until the call releases them.
func (c *call) hold(from *quota, holder string, n int) bool {
	if !from.tryAcquire(holder, n) {
		return false
	}
	c.held = append(c.held, held{from: from, holder: holder, n: n})
	return true
}

// holdWork takes a place for a request in progress, and waits that long for it. The limiter does
// not close the connection meanwhile.
func (c *call) holdWork(from *quota, holder string, wait time.Duration) bool {
	if !from.acquire(c.ctx, holder, 1, wait) {
		return false
	}
	c.link.Conn.Begin()
	c.held = append(c.held, held{from: from, holder: holder, n: 1, conn: c.link.Conn})
	return true
}

// release returns all that the call holds. It may be called again.
func (c *call) release() {
	for _, h := range c.held {
		h.from.release(h.holder, h.n)
		h.conn.End()
	}
	c.held = nil
}

// answer encodes a value as the client accepts it.
func (c *call) answer(status int, v any) { writeAnswer(c.w, c.r, c.log, status, v) }

// write sends a body as it is.
func (c *call) write(status int, b []byte) { writeBody(c.w, c.r, status, b) }

// seconds reads a parameter of the query that is a time of at most limit; 0 if it is absent.
func (c *call) seconds(name string, limit time.Duration) (time.Duration, error) {
	text := c.r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0) || f > limit.Seconds() {
		return 0, Refuse(http.StatusBadRequest, name+" must be a number of seconds, at most "+strconv.Itoa(int(limit.Seconds())))
	}
	return time.Duration(f * float64(time.Second)), nil
}

// flag reads a parameter of a query that is yes or no; no if it is absent.
func flag(q url.Values, name string) (bool, error) {
	switch q.Get(name) {
	case "":
		if !q.Has(name) {
			return false, nil
		}
	case "yes":
		return true, nil
	case "no":
		return false, nil
	}
	return false, Refuse(http.StatusBadRequest, name+" is yes or no")
}

// unix is a time as Salt shows it: seconds since 1970.
func unix(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
