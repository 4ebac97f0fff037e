package api

import (
	"net/http"

	"github.com/momtree/mom/value"
)

// stats shows figures of this server. They are its own: of Salt's, which are CherryPy's,
// none has a meaning here.
func (s *Server) stats(c *call) error {
	if !s.o.OpenStats {
		if _, err := s.holder(c); err != nil {
			return err
		}
	}
	f, now := s.hub.Figures(), s.o.Now()
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("mom api", value.NewMap(
		"Version", s.o.Version, "Dialect", string(s.o.Dialect), "Start Time", unix(s.begun), "Current Time", unix(now), "Uptime", now.Sub(s.begun).Seconds(),
		"Total Requests", s.requests.Load(), "Current Requests", s.atWork(), "Streams", s.streaming.Load(),
		"Events", int64(f.Events), "Event Readers", f.Readers, "Event Readers Cut", int64(f.Cut), "Events Kept", f.Kept,
	)))
	return nil
}
