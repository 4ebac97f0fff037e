package server

import (
	"log/slog"

	"github.com/momtree/mom/internal/zmtp"
)

// RefusedUser counts and logs a command without rights. Operators watch for these, but a stranger
// can send any number: at most one line a second.
func (s *Server) RefusedUser(what, user, fun string) {
	s.Stats.Refused.Add(1)
	now := s.Now().Unix()
	level := slog.LevelDebug
	if s.warned.Swap(now) != now {
		level = slog.LevelWarn
	}
	s.Log.Log(s.Ctx, level, "command refused", "cmd", what, "user", user, "fun", fun, "refused", s.Stats.Refused.Load())
}

// Refused counts and logs a refusal. Strangers can cause these at will, so they are logged at debug
// level and the counter reports them.
func (s *Server) Refused(what string, p *zmtp.Peer, err error) {
	s.Stats.Refused.Add(1)
	if p != nil {
		s.Log.Debug("refused", "what", what, "peer", p.RemoteAddr(), "err", err)
		return
	}
	s.Log.Warn("refused", "what", what, "err", err)
}
