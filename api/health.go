package api

import (
	"context"
	"net/http"
	"time"

	"github.com/momtree/mom/value"
)

// healthTime bounds the question to the master.
const healthTime = 3 * time.Second

// health tells whether the master answers: 200, or 503.
func (s *Server) health(c *call) error {
	ctx, cancel := context.WithTimeout(c.ctx, healthTime)
	defer cancel()
	if err := s.b.Ping(ctx); err != nil {
		s.log.Warn("The master does not answer", "err", err)
		return refuse(http.StatusServiceUnavailable, "The master does not answer")
	}
	c.w.Header().Set("Cache-Control", "no-store")
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("alive", true, "master", true))
	return nil
}
