package api

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/momtree/mom/api/lowdata"
)

const (
	// largeBody is the size up to which a user's body needs no room.
	largeBody = 1 << 20

	strangerBody     = 64 << 10
	strangerBodyTime = 10 * time.Second
)

// strangerBounds are what the body of a stranger may hold. Its values are counted before it is
// decoded.
var strangerBounds = lowdata.Bounds{Values: 2048, Depth: 32, YAML: 16 << 10}

// hookBody and hookBounds hold for webhooks of strangers, which webhook_disable_auth allows:
// services send more than logins have.
const hookBody = 1 << 20

var hookBounds = lowdata.Bounds{Values: 16 << 10, Depth: 64, YAML: 16 << 10}

// bodyReader reads the bodies of requests.
type bodyReader struct {
	budget  *budget
	room    *semaphore.Weighted // for large bodies of users, in bytes
	maxBody int64
	maxTime time.Duration // for a body to arrive
}

func newBodyReader(b *budget, maxBody int64, maxTime time.Duration) *bodyReader {
	return &bodyReader{budget: b, room: semaphore.NewWeighted(max(2*maxBody, 64<<20)), maxBody: maxBody, maxTime: maxTime}
}

// limits bound a body.
type limits struct {
	bytes  int64
	time   time.Duration
	bounds lowdata.Bounds
}

// limitsOf returns the limits of a request. They are small without a valid token, even if the body
// has a login.
func (b *bodyReader) limitsOf(c *call) limits {
	if c.known() {
		return limits{bytes: b.maxBody, time: b.maxTime}
	}
	return limits{bytes: min(strangerBody, b.maxBody), time: min(strangerBodyTime, b.maxTime), bounds: strangerBounds}
}

// webhookLimitsOf returns the limits of a webhook.
func (b *bodyReader) webhookLimitsOf(c *call) limits {
	l := b.limitsOf(c)
	if !c.known() {
		l.bytes, l.bounds = min(hookBody, b.maxBody), hookBounds
	}
	return l
}

// bytes reads a body. It takes room for the body first, but no place for the request.
func (b *bodyReader) bytes(c *call, l limits) ([]byte, error) {
	size := c.r.ContentLength
	//mutant:api-body-bound
	if size > l.bytes {
		return nil, &http.MaxBytesError{Limit: l.bytes}
	}
	if size < 0 {
		size = l.bytes
	}
	switch {
	case !c.known() && size > smallBody:
		if !c.hold(b.budget.bytes, c.block, int(size)) {
			return nil, errNoRoom
		}
	case c.known() && size > largeBody:
		if !b.room.TryAcquire(size) {
			return nil, errNoRoom
		}
		defer b.room.Release(size)
	}
	rc := http.NewResponseController(c.w)
	//mutant:api-slow-bodies
	_ = rc.SetReadDeadline(time.Now().Add(l.time)) // a recorder in a test has none
	//mutant:api-body-bound-2
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, l.bytes))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, Refuse(http.StatusRequestTimeout, "The body took too long to arrive")
	case err != nil:
		if _, big := errors.AsType[*http.MaxBytesError](err); big {
			return nil, err
		}
		return nil, Refuse(http.StatusBadRequest, "The body is not complete")
	}
	_ = rc.SetReadDeadline(time.Time{}) // the server still watches for a client that hangs up
	return body, nil
}

// read reads and decodes a body, and takes the place of the request. It returns the bytes too. An
// empty body needs no content type.
func (b *bodyReader) read(c *call) (lowdata.Body, []byte, error) {
	return b.readWithin(c, b.limitsOf(c))
}

func (b *bodyReader) readWithin(c *call, l limits) (lowdata.Body, []byte, error) {
	//mutant:api-body-first
	body, err := b.bytes(c, l)
	if err != nil {
		return lowdata.Body{}, nil, err
	}
	if err := b.budget.enter(c); err != nil {
		return lowdata.Body{}, nil, err
	}
	kind := c.r.Header.Get("Content-Type")
	if kind == "" && len(body) == 0 {
		return lowdata.Body{}, body, nil
	}
	doc, err := lowdata.Open(kind, body)
	if err == nil {
		err = doc.Within(l.bounds)
	}
	if err != nil {
		return lowdata.Body{}, nil, err
	}
	done, err := b.budget.weigh(c, doc.Weight())
	if err != nil {
		return lowdata.Body{}, nil, err
	}
	defer done()
	//mutant:api-values
	data, err := doc.Read(l.bounds)
	return data, body, err
}
