package presence

import (
	"slices"
	"time"
)

// unnamedConn is a subscription without an announced session: of a stock minion or syndic, whose
// libzmq sends no identity, or of a stranger. A peer of mom has one until it announces itself.
type unnamedConn struct {
	conn    Conn
	since   time.Time
	before  Before
	named   []*session // one per id that answered; a proxy minion host has many
	settled bool       // named, closed, or of a syndic: no unknown minion is behind it
}

// maxNames bounds the ids of one connection.
const maxNames = 4096

// MuteFor is how long a silent connection may be that of a starting minion. It answers when
// its pillar has arrived and its modules are loaded; until then messages wait in its socket.
// Salt gives up a request after three times 60 s (request_channel_timeout,
// request_channel_tries).
const MuteFor = 3 * time.Minute

// ConnInfo describes an unnamed connection.
type ConnInfo struct {
	// Since is when it was subscribed.
	Since time.Time
	Before
}

// Before records how far publications had gone when a connection subscribed. It received
// nothing published until then.
type Before struct {
	// Number is that of the last retained publication.
	Number int64
	// Position counts publications and sign-ins.
	Position int64
}

// Opened adds a connection without a session. fresh is false if it is known already.
func (r *Registry) Opened(c Conn, before Before) (fresh bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unnamed[c.ID()] != nil || r.byConn[c.ID()] != nil {
		return false
	}
	r.unnamed[c.ID()] = r.addUnnamed(c, before)
	return true
}

// OfSyndic records that a connection is that of a Python syndic, which does not answer: no
// minion is behind it.
func (r *Registry) OfSyndic(conn uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settle(r.unnamed[conn])
}

// ConnInfo describes a connection without a session. ok is false if it is closed.
func (r *Registry) ConnInfo(conn uint64) (ConnInfo, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.unnamed[conn]
	if l == nil {
		return ConnInfo{}, false
	}
	return ConnInfo{Since: l.since, Before: l.before}, true
}

// Named records that a minion answered a question sent to one connection. known is false if
// the connection is closed. A minion has several connections when it restarted and the end of
// the old one is not noticed yet.
func (r *Registry) Named(conn uint64, id string) (known bool) {
	r.mu.Lock()
	l := r.unnamed[conn]
	if l == nil || len(l.named) >= maxNames {
		r.mu.Unlock()
		return l != nil
	}
	for _, s := range l.named {
		if s.id == id {
			r.mu.Unlock()
			return true
		}
	}
	r.proxied = r.proxied || len(l.named) > 0
	s := &session{conns: []Conn{l.conn}, id: id, ann: Announcement{ID: id, Role: Minion, Stock: true}}
	l.named = append(l.named, s)
	r.stock = nil
	r.settle(l)
	r.join(s)
	if r.peers[key{Minion, id}].Stock { // one that announces itself reports its running jobs
		r.queueUp(s.ann)
	}
	r.unlockAndRunHooks()
	return true
}

// StockConns returns the connections of stock minions that have answered. The map must not be changed.
func (r *Registry) StockConns() map[uint64]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stock == nil {
		r.stock = map[uint64]bool{}
		for conn, l := range r.unnamed {
			if len(l.named) > 0 {
				r.stock[conn] = true
			}
		}
	}
	return r.stock
}

// OwnConns returns the connections of peers of mom, announced or not: only these name a session. The map must not be
// changed.
func (r *Registry) OwnConns() map[uint64]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.own == nil {
		r.own = map[uint64]bool{}
		for conn := range r.byConn {
			r.own[conn] = true
		}
	}
	return r.own
}

// closeUnnamed removes a connection without a session that ended at a position. The caller holds mu.
func (r *Registry) closeUnnamed(conn uint64, at int64) {
	l := r.unnamed[conn]
	if l == nil {
		return
	}
	delete(r.unnamed, conn)
	r.stock = nil
	r.vanish(l, at)
	for _, s := range l.named {
		if p := r.peers[s.key()]; p != nil {
			p.stock = at
		}
		r.part(s)
	}
}

// addUnnamed adds an unnamed connection. The caller holds mu.
func (r *Registry) addUnnamed(c Conn, before Before) *unnamedConn {
	l := &unnamedConn{conn: c, since: r.cfg.Now(), before: before}
	r.fresh = append(r.fresh, l)
	return l
}

// settle records that no unknown minion is behind a connection. The caller holds mu.
func (r *Registry) settle(l *unnamedConn) {
	if l == nil || l.settled {
		return
	}
	l.settled = true
	if r.settled++; r.settled < 64 || r.settled*2 < len(r.fresh) {
		return
	}
	rest := make([]*unnamedConn, 0, len(r.fresh)-r.settled)
	for _, l := range r.fresh {
		if !l.settled {
			rest = append(rest, l)
		}
	}
	r.fresh, r.settled = rest, 0
}

// vanish settles a connection that ended at a position. The caller holds mu.
func (r *Registry) vanish(l *unnamedConn, at int64) {
	if l != nil && !l.settled {
		//mutant:vanished-connections-hide-nobody
		r.vanished, r.lost = r.cfg.Now(), max(r.lost, at)
	}
	r.settle(l)
}

// Unheard reports whether a stock minion on a connection has certainly not received what was
// published at a position of this process, even if it restarted since. That holds if the
// connection is newer, the minion was not connected before, and each older connection belongs
// to another minion.
func (r *Registry) Unheard(conn uint64, id string, at int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, p := r.unnamed[conn], r.peers[key{Minion, id}]
	switch {
	case l == nil || l.before.Position < at || len(l.named) > 0 || r.proxied:
		return false
	case p != nil && (p.Up || !p.Since.IsZero() || len(p.sessions) > 0):
		return false
	//mutant:restarted-minions-run-once
	case r.lost >= at:
		return false
	}
	oldest := r.oldest()
	return oldest == nil || oldest.before.Position >= at
}

// WasStock reports whether a minion was connected as a stock minion when something was published at a position, or
// later: it may have run the job, and a minion of mom in its place does not know. Of the previous process only is known
// who was connected at its end.
func (r *Registry) WasStock(id string, at int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	//mutant:former-stock-minions-may-have-run
	if _, former := r.former[id]; former && at <= r.from {
		return true
	}
	p := r.peers[key{Minion, id}]
	if p == nil {
		return false
	}
	return p.stock >= at || slices.ContainsFunc(p.sessions, func(s *session) bool { return s.ann.Stock })
}

// oldest returns the oldest unnamed connection. The caller holds mu.
func (r *Registry) oldest() *unnamedConn {
	for len(r.fresh) > 0 && r.fresh[0].settled {
		r.fresh, r.settled = r.fresh[1:], r.settled-1
	}
	if len(r.fresh) == 0 {
		return nil
	}
	return r.fresh[0]
}

// newest returns the newest unnamed connection. The caller holds mu.
func (r *Registry) newest() *unnamedConn {
	for n := len(r.fresh); n > 0; n = len(r.fresh) {
		l := r.fresh[n-1]
		if !l.settled {
			return l
		}
		r.fresh[n-1] = nil
		r.fresh, r.settled = r.fresh[:n-1], r.settled-1
	}
	return nil
}

// Unnamed counts the unnamed connections.
func (r *Registry) Unnamed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.fresh) - r.settled
}
