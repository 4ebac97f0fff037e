package presence

import "time"

// line is a subscription of which nobody has said who it is: that of a minion or
// syndic of Python's Salt, whose libzmq sends no identity, or of nobody. Lines of
// ours are such for the moment before their announcement.
type line struct {
	conn    Conn
	since   time.Time
	before  Before
	named   []*session // one for each id that answered over it, more than one for a proxy of many
	settled bool       // named, or gone, or of a syndic: it hides no minion
}

// maxNames bounds the ids that hang on one connection.
const maxNames = 4096

// MuteFor is how long a connection that does not say who it is may be that of a
// minion: one that starts answers when its pillar is there and its modules are
// loaded, and until then what it has heard waits in its socket. Salt's requests give
// up after three times 60 s (request_channel_timeout, request_channel_tries).
const MuteFor = 3 * time.Minute

// Line is what is known of a connection that was asked who it is.
type Line struct {
	// Since is when it was subscribed.
	Since time.Time
	Before
}

// Before is how far things had gone when a connection subscribed: it has not heard
// what was published up to there.
type Before struct {
	// Number is that of the last publication that is kept.
	Number int64
	// Position counts publications and sign-ins.
	Position int64
}

// Opened tells that a connection without a session has subscribed. fresh is false for one that is known already.
func (r *Registry) Opened(c Conn, before Before) (fresh bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lines[c.ID()] != nil || r.byConn[c.ID()] != nil {
		return false
	}
	r.lines[c.ID()] = r.nameless(c, before)
	return true
}

// OfSyndic tells that a connection is that of a Python syndic, which does not answer
// for itself: no minion hangs there.
func (r *Registry) OfSyndic(conn uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settle(r.lines[conn])
}

// Line gives what is known of a connection without a session, false when it is gone.
func (r *Registry) Line(conn uint64) (Line, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lines[conn]
	if l == nil {
		return Line{}, false
	}
	return Line{Since: l.since, Before: l.before}, true
}

// Named tells that a minion has answered, by an authenticated return, what was asked
// over one connection alone: it hangs there, whatever else does. It hangs on several
// when it was restarted and its former connection is not missed yet. known is false
// when the connection is gone.
func (r *Registry) Named(conn uint64, id string) (known bool) {
	r.mu.Lock()
	l := r.lines[conn]
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
	r.settle(l)
	r.join(s)
	if r.peers[key{Minion, id}].Stock { // not of one that announces itself: that says what it runs
		r.tellUp(s.ann)
	}
	r.tell()
	return true
}

// hangUp forgets a connection without a session, which ended at a position. The caller
// holds mu.
func (r *Registry) hangUp(conn uint64, at int64) {
	l := r.lines[conn]
	if l == nil {
		return
	}
	delete(r.lines, conn)
	r.vanish(l, at)
	for _, s := range l.named {
		r.part(s)
	}
}

// nameless enters a connection of which nobody knows who it is. The caller holds mu.
func (r *Registry) nameless(c Conn, before Before) *line {
	l := &line{conn: c, since: r.cfg.Now(), before: before}
	r.fresh = append(r.fresh, l)
	return l
}

// settle notes that no minion hides behind a line. The caller holds mu.
func (r *Registry) settle(l *line) {
	if l == nil || l.settled {
		return
	}
	l.settled = true
	if r.settled++; r.settled < 64 || r.settled*2 < len(r.fresh) {
		return
	}
	rest := make([]*line, 0, len(r.fresh)-r.settled)
	for _, l := range r.fresh {
		if !l.settled {
			rest = append(rest, l)
		}
	}
	r.fresh, r.settled = rest, 0
}

// vanish settles a line that is gone since a position. The caller holds mu.
func (r *Registry) vanish(l *line, at int64) {
	if l != nil && !l.settled {
		//mutant:vanished-connections-hide-nobody
		r.vanished, r.lost = r.cfg.Now(), max(r.lost, at)
	}
	r.settle(l)
}

// Unheard tells whether a stock minion that says that it hangs on a connection has
// certainly not heard what was published at a position of this life of the master, also
// if it has been started since: the connection is from after it, the minion has not been
// here before, and each connection that could have heard it is that of another.
func (r *Registry) Unheard(conn uint64, id string, at int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, p := r.lines[conn], r.peers[key{Minion, id}]
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

// oldest gives the nameless connection that stands longest. The caller holds mu.
func (r *Registry) oldest() *line {
	for len(r.fresh) > 0 && r.fresh[0].settled {
		r.fresh, r.settled = r.fresh[1:], r.settled-1
	}
	if len(r.fresh) == 0 {
		return nil
	}
	return r.fresh[0]
}

// newest gives the nameless connection that came last. The caller holds mu.
func (r *Registry) newest() *line {
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

// Nameless counts the connections that have not said who they are.
func (r *Registry) Nameless() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.fresh) - r.settled
}
