package api

import (
	"context"
	"net/http"
	"time"

	"github.com/momtree/mom/value"
)

// healthTime bounds the question to the master.
const healthTime = 3 * time.Second

// health reports whether the master answers, by 200 or 503. It takes no place among the requests
// at work, and all who ask at the same time have one answer of the master.
func (s *Server) health(c *call) error {
	ping := s.pings.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), healthTime)
		defer cancel()
		return nil, s.b.Ping(ctx)
	})
	select {
	case r := <-ping:
		if r.Err != nil {
			s.log.Warn("master not responding", "err", r.Err)
			return refuse(http.StatusServiceUnavailable, "The master does not answer")
		}
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	c.w.Header().Set("Cache-Control", "no-store")
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("alive", true, "master", true))
	return nil
}
