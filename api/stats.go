package api

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/value"
)

// figures count the requests of a listener.
type figures struct {
	requests atomic.Int64
	// answered is by the first digit of the status. 0 is a connection that became a web socket, or
	// that got no answer.
	answered [6]atomic.Uint64
}

// statsHandler serves /stats.
type statsHandler struct {
	dialect Dialect
	version string
	// open shows the figures without a token.
	open    bool
	tokens  *tokenChecker
	figures *figures
	budget  *budget
	streams *streams
	hub     *stream.Hub
	begun   time.Time
	now     func() time.Time
}

// show shows figures of this server. Those of Salt's servers are CherryPy's, and mean nothing here.
func (h *statsHandler) show(c *call) error {
	if !h.open {
		if err := h.tokens.require(c); err != nil {
			return err
		}
	}
	f, now := h.hub.Figures(), h.now()
	c.answer(http.StatusOK, value.NewMap("mom api", value.NewMap(
		"Version", h.version, "Dialect", string(h.dialect), "Start Time", unix(h.begun), "Current Time", unix(now), "Uptime", now.Sub(h.begun).Seconds(),
		"Total Requests", h.figures.requests.Load(), "Current Requests", h.budget.inProgress(), "Streams", h.streams.open.Load(),
		"Events", int64(f.Events), "Event Readers", f.Readers, "Event Readers Cut", int64(f.Cut), "Events Kept", f.Kept,
	)))
	return nil
}
