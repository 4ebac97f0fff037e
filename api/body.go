package api

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/momtree/mom/api/lowdata"
)

// smallBody is what anybody may send; more may only whoever shows a token.
const smallBody = 1 << 20

var errNoRoom = refuse(http.StatusServiceUnavailable, "Too many large bodies are being read; try again later")

// body reads the body of a request, at most limit bytes of it.
func (s *Server) body(c *call, limit int64) ([]byte, error) {
	limit = min(limit, s.o.MaxBody)
	size := c.r.ContentLength
	if size > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	if size < 0 {
		size = limit
	}
	if size > smallBody {
		if !s.bodies.TryAcquire(size) {
			return nil, errNoRoom
		}
		defer s.bodies.Release(size)
	}
	rc := http.NewResponseController(c.w)
	_ = rc.SetReadDeadline(time.Now().Add(s.o.BodyTime)) // where there is none, such as in tests, the body is there
	b, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, limit))
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

// parse reads the body as data. An empty one needs no content type.
func (s *Server) parse(c *call, limit int64) (lowdata.Body, []byte, error) {
	b, err := s.body(c, limit)
	if err != nil {
		return lowdata.Body{}, nil, err
	}
	kind := c.r.Header.Get("Content-Type")
	if kind == "" && len(b) == 0 {
		return lowdata.Body{}, b, nil
	}
	data, err := lowdata.Parse(kind, b)
	return data, b, err
}
