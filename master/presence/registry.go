package presence

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Conn is a subscription's connection.
type Conn interface {
	// ID is unique in the process and never used again.
	ID() uint64
	// Trust is called when it is known whose the connection is.
	Trust()
	Close()
}

// maxUnclaimed bounds subscriptions that nobody has announced yet and
// announcements whose subscription is not seen yet.
const maxUnclaimed = 65536

// session is a random text with the connections that carry it, more than one
// while a broken connection has not been missed yet.
type session struct {
	text  string
	conns []Conn
	id    string // who announced it; "": nobody yet
	ann   Announcement
	line  *line // while nobody has
}

// key names a peer. A node and a minion of one host may share their id and its key pair, as
// in Salt's own layout: they are two peers all the same.
type key struct{ role, id string }

func (s *session) key() key { return key{s.ann.Role, s.id} }

type peer struct {
	Peer
	sessions []*session // announced and connected
}

// Registry is safe for concurrent use. All its costs are O(1) per call, but for
// listing.
type Registry struct {
	cfg     Config
	started time.Time
	missed  bool // Lost has spoken

	mu        sync.Mutex
	sessions  map[string]*session
	waiting   map[key]*session // announced, without a subscription
	byConn    map[uint64]*session
	unclaimed int
	peers     map[key]*peer
	up        int
	changed   bool // the set of known peers differs from what Known last gave
	lines     map[uint64]*line
	fresh     []*line              // nameless ones in the order in which they came, some settled since
	settled   int                  // of these
	vanished  time.Time            // when a nameless one ended last
	lost      int64                // the position then
	proxied   bool                 // more than one minion hangs on a connection, or did
	signed    map[string]time.Time // sign-ins of who is not connected
	former    map[string]bool      // stock minions that were connected when the earlier life ended

	// news are the hooks still to be called, in the order in which things happened;
	// who holds emit calls them. mu is never held while anything else is waited for:
	// the ledger asks the registry under its own lock.
	news []func()
	emit sync.Mutex
}

// New makes a registry.
func New(cfg Config) *Registry {
	cfg.fill()
	r := &Registry{
		cfg: cfg, started: cfg.Now(),
		sessions: map[string]*session{}, waiting: map[key]*session{}, byConn: map[uint64]*session{}, peers: map[key]*peer{},
		lines: map[uint64]*line{}, signed: map[string]time.Time{}, former: map[string]bool{},
	}
	for _, p := range cfg.Known {
		if p.Stock {
			r.former[p.ID] = true
			continue
		}
		p.Up, p.Since = false, time.Time{}
		if p.Gone { // it has no time to come back
			p.Since = r.started.Add(-cfg.StartGrace - cfg.Lease)
		}
		p.Gone = false
		r.peers[key{p.Role, p.ID}] = &peer{Peer: p}
	}
	return r
}

// Begin says that connections may come from now on: those of the earlier life have their
// time to come back.
func (r *Registry) Begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started = r.cfg.Now()
}

// Subscribed tells that a connection has subscribed under a session.
// Connections without a session text are of no interest.
func (r *Registry) Subscribed(c Conn, text string) {
	if text == "" {
		return
	}
	r.mu.Lock()
	s := r.sessions[text]
	switch {
	case r.byConn[c.ID()] != nil, s == nil && r.unclaimed >= maxUnclaimed:
		r.mu.Unlock()
		return
	case s == nil:
		s = r.add(text)
	}
	s.conns = append(s.conns, c)
	r.byConn[c.ID()] = s
	//mutant:announced-connections-stay
	if s.id != "" {
		c.Trust()
	}
	if s.id == "" && s.line == nil {
		s.line = r.nameless(c, Before{})
	}
	if s.id == "" || len(s.conns) > 1 {
		// Without a fresh announcement it is not known what the peer runs.
		r.mu.Unlock()
		return
	}
	r.bind(s)
	r.tellUp(s.ann)
	r.tell()
}

// add enters a session that lacks one of its sides. The caller holds mu.
func (r *Registry) add(text string) *session {
	s := &session{text: text}
	r.sessions[text] = s
	r.unclaimed++
	return s
}

// Closed tells that a connection is gone.
func (r *Registry) Closed(conn uint64) {
	at := r.cfg.Position() // all that it can have heard is noted by now
	r.mu.Lock()
	s := r.byConn[conn]
	if s == nil {
		r.hangUp(conn, at)
		r.tell()
		return
	}
	delete(r.byConn, conn)
	s.conns = slices.DeleteFunc(s.conns, func(c Conn) bool { return c.ID() == conn })
	if len(s.conns) > 0 {
		r.mu.Unlock()
		return
	}
	delete(r.sessions, s.text)
	if s.id == "" {
		r.unclaimed--
		r.vanish(s.line, at)
		r.mu.Unlock()
		return
	}
	r.part(s)
	r.tell()
}

// part takes a session that has ended from the one it belongs to. The caller holds
// mu.
func (r *Registry) part(s *session) {
	p := r.peers[s.key()]
	if p == nil { // its key is gone
		return
	}
	p.sessions = slices.DeleteFunc(p.sessions, func(have *session) bool { return have == s })
	if len(p.sessions) == 0 {
		r.tellDown(p)
		return
	}
	r.follow(p)
}

// follow takes what is known of a peer from its sessions: those that announce themselves
// count first, then the latest. The caller holds mu.
func (r *Registry) follow(p *peer) {
	var a Announcement
	for i, s := range p.sessions {
		if i == 0 || a.Stock || !s.ann.Stock {
			a = s.ann
		}
	}
	if p.Version != a.Version || p.Stock != a.Stock {
		p.Version, p.Stock = a.Version, a.Stock
		r.changed = true
	}
}

// Announce binds a session to an id that the caller has authenticated. It
// tells whether the session's subscription is connected; if not, the binding
// waits for it.
func (r *Registry) Announce(a Announcement) (connected bool, err error) {
	if err := a.validate(); err != nil {
		return false, err
	}
	r.mu.Lock()
	s := r.sessions[a.Session]
	own := key{a.Role, a.ID}
	old := r.waiting[own]
	switch {
	case s == nil && old == nil && r.unclaimed >= maxUnclaimed:
		r.mu.Unlock()
		return false, fmt.Errorf("presence of %s: too many sessions wait for their subscription", a.ID)
	case s == nil:
		if old != nil { // one per peer, or they would pile up
			r.drop(old)
		}
		s = r.add(a.Session)
		s.id, s.ann = a.ID, a
		r.waiting[own] = s
		r.mu.Unlock()
		return false, nil
	case s.id != "" && s.key() != own:
		r.mu.Unlock()
		return false, fmt.Errorf("presence of %s %s: the session belongs to %s %s", a.Role, a.ID, s.ann.Role, s.id)
	}
	fresh := s.id == ""
	s.id, s.ann = a.ID, a
	r.settle(s.line)
	if len(s.conns) == 0 {
		r.mu.Unlock()
		return false, nil
	}
	if fresh {
		r.bind(s)
	}
	r.tellUp(a)
	r.tell()
	return true, nil
}

// drop forgets a session that waits for its subscription. The caller holds mu.
func (r *Registry) drop(s *session) {
	delete(r.sessions, s.text)
	delete(r.waiting, s.key())
	r.unclaimed--
}

// bind counts a session that has both its sides. The caller holds mu.
func (r *Registry) bind(s *session) {
	r.unclaimed--
	if r.waiting[s.key()] == s {
		delete(r.waiting, s.key())
	}
	r.join(s)
}

// join gives a session to the one it belongs to. The caller holds mu.
func (r *Registry) join(s *session) {
	//mutant:named-connections-stay
	for _, c := range s.conns {
		c.Trust()
	}
	p := r.peers[s.key()]
	if p == nil {
		p = &peer{Peer: Peer{ID: s.id, Role: s.ann.Role}}
		r.peers[s.key()] = p
		r.changed = true
	}
	if s.ann.Role == Minion {
		delete(r.signed, s.id)
	}
	p.sessions = append(p.sessions, s)
	r.follow(p)
	if !p.Up {
		p.Up, p.Since = true, r.cfg.Now()
		r.up++
		r.changed = true // a next life has to wait for it
	}
}

// Revoke drops all that is known of an id whose key is gone, in both roles, and closes its
// connections.
func (r *Registry) Revoke(id string) {
	r.mu.Lock()
	delete(r.signed, id)
	var conns []Conn
	for _, role := range []string{Minion, Syndic} {
		own := key{role, id}
		if s := r.waiting[own]; s != nil {
			r.drop(s)
		}
		p := r.peers[own]
		if p == nil {
			continue
		}
		delete(r.peers, own)
		r.changed = true
		for _, s := range p.sessions {
			delete(r.sessions, s.text)
			for _, c := range s.conns {
				delete(r.byConn, c.ID())
			}
			conns = append(conns, s.conns...)
		}
		if p.Up {
			r.tellDown(p)
		}
	}
	r.tell()
	for _, c := range conns {
		c.Close()
	}
}

// Forget drops what is known of a minion of ours that is not connected: it talks
// without announcing itself, as after a change to Python.
func (r *Registry) Forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	own := key{Minion, id}
	if p := r.peers[own]; p != nil && !p.Up && !p.Stock {
		delete(r.peers, own)
		r.changed = true
	}
}

// tellUp has the hook called by [Registry.tell]. The caller holds mu.
func (r *Registry) tellUp(a Announcement) {
	if r.cfg.Up != nil {
		r.news = append(r.news, func() { r.cfg.Up(a) })
	}
}

// tellDown notes that a peer is gone, and has the hook called by [Registry.tell].
// The caller holds mu.
func (r *Registry) tellDown(p *peer) {
	p.Up, p.Since = false, r.cfg.Now()
	r.up--
	if gone := p.Peer; r.cfg.Down != nil {
		r.news = append(r.news, func() { r.cfg.Down(gone) })
	}
}

// tell releases mu and calls the hooks that are due.
func (r *Registry) tell() {
	due := len(r.news) > 0
	r.mu.Unlock()
	if !due {
		return
	}
	r.emit.Lock()
	defer r.emit.Unlock()
	for {
		r.mu.Lock()
		if len(r.news) == 0 {
			r.news = nil
			r.mu.Unlock()
			return
		}
		hook := r.news[0]
		r.news[0] = nil
		r.news = r.news[1:]
		r.mu.Unlock()
		hook()
	}
}
