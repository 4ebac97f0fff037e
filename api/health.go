package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/momtree/mom/value"
)

// healthTime bounds the call of the master.
const healthTime = 3 * time.Second

// pinger asks whether the master answers; see [Backend].
type pinger interface {
	Ping(ctx context.Context) error
}

// healthHandler serves /health.
type healthHandler struct {
	master pinger
	pings  singleflight.Group
	log    *slog.Logger
}

// show answers 200 while the master answers, otherwise 503. It takes no place, and concurrent
// requests share one answer of the master.
func (h *healthHandler) show(c *call) error {
	ping := h.pings.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), healthTime)
		defer cancel()
		return nil, h.master.Ping(ctx)
	})
	select {
	case r := <-ping:
		if r.Err != nil {
			h.log.Warn("master not responding", "err", r.Err)
			return Refuse(http.StatusServiceUnavailable, "The master does not answer")
		}
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	c.w.Header().Set("Cache-Control", "no-store")
	c.answer(http.StatusOK, value.NewMap("alive", true, "master", true))
	return nil
}
