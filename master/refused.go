package master

import (
	"log/slog"

	"github.com/momtree/mom/internal/conntrack"
	"github.com/momtree/mom/internal/repeat"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/owners"
)

// refusal is an error that a client is told by Salt's name for it.
type refusal struct{ name, message string }

func (e refusal) Error() string { return e.name + ": " + e.message }

func (e refusal) reply() any {
	return wire.NewMap("error", wire.NewMap("name", e.name, "message", e.message))
}

var (
	errNoAccess   = refusal{"AuthenticationError", "Authentication error occurred."}
	errNotAllowed = refusal{"AuthorizationError", "Authorization error occurred."}
)

// refusedUser counts and logs a command without rights. Operators look for
// these, but a stranger can send as many as there are: one line a second.
func (m *Master) refusedUser(what, user, fun string) {
	m.stats.Refused.Add(1)
	now := m.now().Unix()
	level := slog.LevelDebug
	if m.lastWarned.Swap(now) != now {
		level = slog.LevelWarn
	}
	m.log.Log(m.ctx, level, "A command was refused", "cmd", what, "user", user, "fun", fun, "refused", m.stats.Refused.Load())
}

// refused counts and logs something that was not allowed. A stranger can cause
// these at will, so they are logged at debug level; the counter tells of them.
func (m *Master) refused(what string, p *zmtp.Peer, err error) {
	m.stats.Refused.Add(1)
	if p != nil {
		m.log.Debug("Refused", "what", what, "from", p.RemoteAddr(), "err", err)
		return
	}
	m.log.Warn("Refused", "what", what, "err", err)
}

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

// trespassed counts what a peer was refused; the first of a kind and sender, and
// then one in ten seconds, is logged and told on the event bus, and so to the
// masters above.
func (m *Master) trespassed(x owners.Trespass) {
	m.stats.Refused.Add(1)
	n := m.trespasses.Note(x, m.now())
	if n == 0 {
		m.log.Debug("Refused", "what", x.Kind, "path", x.Path, "id", x.ID, "jid", x.JID, "err", x.Err)
		return
	}
	m.log.Warn("Refused", "what", x.Kind, "path", x.Path, "id", x.ID, "jid", x.JID, "count", n, "err", x.Err)
	m.fire("topology/refused", wire.NewMap("kind", x.Kind, "path", x.Path, "id", x.ID, "jid", x.JID, "count", n, "reason", x.Err.Error()))
}

// failing logs what is tried again every second while its cause lasts, such as a
// full disk: the same of the same cause once in ten seconds, with how often it was.
func (m *Master) failing(what string, err error, about ...any) {
	level, n := slog.LevelError, m.failures.Note([2]string{what, repeat.Cause(err)}, m.now())
	if n == 0 {
		level = slog.LevelDebug
	}
	m.log.Log(m.ctx, level, what, append(about, "count", n, "err", err)...)
}
