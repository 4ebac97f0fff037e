package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/momtree/mom/api/lowdata"
)

// largeBody is what a user may send without room being sought for it.
const largeBody = 1 << 20

// limits are what a body may have.
type limits struct {
	bytes  int64
	time   time.Duration
	bounds lowdata.Bounds
}

// limitsOf returns the limits of a request: small ones without a valid token, even if the body
// has a login.
func (s *Server) limitsOf(c *call) limits {
	if c.known() {
		return limits{bytes: s.o.MaxBody, time: s.o.BodyTime}
	}
	return limits{bytes: min(strangerBody, s.o.MaxBody), time: min(strangerBodyTime, s.o.BodyTime), bounds: strangerBounds}
}

// body reads the body of a request. Room for it is taken first; no place among the requests
// at work is held meanwhile.
func (s *Server) body(c *call, l limits) ([]byte, error) {
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
		if !c.hold(s.budget.bytes, c.block, int(size)) {
			return nil, errNoRoom
		}
	case c.known() && size > largeBody:
		if !s.bodies.TryAcquire(size) {
			return nil, errNoRoom
		}
		defer s.bodies.Release(size)
	}
	rc := http.NewResponseController(c.w)
	//mutant:api-slow-bodies
	_ = rc.SetReadDeadline(time.Now().Add(l.time)) // where there is none, such as in tests, the body is there
	//mutant:api-body-bound-2
	b, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, l.bytes))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refuse(http.StatusRequestTimeout, "The body took too long to arrive")
	case err != nil:
		if _, big := errors.AsType[*http.MaxBytesError](err); big {
			return nil, err
		}
		return nil, refuse(http.StatusBadRequest, "The body is not complete")
	}
	_ = rc.SetReadDeadline(time.Time{}) // the connection is watched on for whoever hangs up
	return b, nil
}

// parse reads the body as data, and takes the request's place among those at work. An empty
// body needs no content type.
func (s *Server) parse(c *call) (lowdata.Body, []byte, error) { return s.parseWithin(c, s.limitsOf(c)) }

func (s *Server) parseWithin(c *call, l limits) (lowdata.Body, []byte, error) {
	//mutant:api-body-first
	b, err := s.body(c, l)
	if err != nil {
		return lowdata.Body{}, nil, err
	}
	if err := s.enter(c); err != nil {
		return lowdata.Body{}, nil, err
	}
	kind := c.r.Header.Get("Content-Type")
	if kind == "" && len(b) == 0 {
		return lowdata.Body{}, b, nil
	}
	doc, err := lowdata.Open(kind, b)
	if err == nil {
		err = doc.Within(l.bounds)
	}
	if err != nil {
		return lowdata.Body{}, nil, err
	}
	done, err := s.weigh(c, doc.Weight())
	if err != nil {
		return lowdata.Body{}, nil, err
	}
	defer done()
	//mutant:api-values
	data, err := doc.Read(l.bounds)
	return data, b, err
}

// weigh waits until there is memory for a body to be decoded.
func (s *Server) weigh(c *call, weight int64) (done func(), err error) {
	sem, all := s.budget.decoding, int64(strangerWeight)
	if c.known() {
		sem, all = s.budget.usersDecoding, s.budget.usersWeight
	}
	if weight > all {
		return nil, lowdata.ErrTooLarge
	}
	ctx, cancel := context.WithTimeout(c.ctx, decodeWait)
	defer cancel()
	//mutant:api-weight
	if sem.Acquire(ctx, weight) != nil {
		return nil, errNoRoom
	}
	return func() { sem.Release(weight) }, nil
}
