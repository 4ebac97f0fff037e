package master

import (
	"log/slog"

	"github.com/momtree/mom/internal/conntrack"
	"github.com/momtree/mom/internal/logthrottle"
)

// tellTurnedAway has the operator told of what both ports refuse, cut or drop, and of
// what the system drops before it comes to them.
func (m *Master) tellTurnedAway() {
	st, now, limit := m.Stats(), m.now(), "max_connections"
	if m.cfg.MaxConnections == 0 {
		limit = "max_open_files, and the hard limit of open files (systemd: LimitNOFILE)"
	}
	m.turned.ReadSocket("router", st.Router.HostStats, limit, now)
	m.turned.ReadSocket("pub", st.Pub.HostStats, limit, now)
	if t, ok := conntrack.Read(); ok {
		m.turned.ReadTable(t, now)
	}
	m.turned.Tell(now)
}

// failing logs what is tried again every second while its cause lasts, such as a
// full disk: the same of the same cause once in ten seconds, with how often it was.
func (m *Master) failing(what string, err error, about ...any) {
	level, n := slog.LevelError, m.failures.Note([2]string{what, logthrottle.Cause(err)}, m.now())
	if n == 0 {
		level = slog.LevelDebug
	}
	m.log.Log(m.ctx, level, what, append(about, "count", n, "err", err)...)
}
