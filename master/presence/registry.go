package presence

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Conn is the connection of a subscription.
type Conn interface {
	// ID returns a number unique in the process, never reused.
	ID() uint64
	// Trust is called when the peer of the connection is known.
	Trust()
	Close()
}

// maxUnclaimed bounds subscriptions without an announcement plus announcements without a
// subscription.
const maxUnclaimed = 65536

// session is a session text with its connections. There are several while the end of a broken
// one is not noticed yet.
type session struct {
	text        string
	conns       []Conn
	id          string // who announced it; "" before that
	ann         Announcement
	unnamedConn *unnamedConn // until it is announced
}

// key names a peer. A node and a minion on one host may share an id and key pair, as in Salt's
// layout; they are two peers.
type key struct{ role, id string }

func (s *session) key() key { return key{s.ann.Role, s.id} }

type peer struct {
	Peer
	sessions []*session // announced and connected
	stock    int64      // position at which its last connection as a stock minion ended; -1: none did
}

// Registry tracks connections and peers. It is safe for concurrent use. Calls take constant
// time, except for those that list.
type Registry struct {
	cfg     Config
	to      Changes // nil before Begin
	started time.Time
	missed  bool // Lost was called after StartGrace

	mu        sync.Mutex
	sessions  map[string]*session
	waiting   map[key]*session // announced, without a subscription
	byConn    map[uint64]*session
	unclaimed int
	peers     map[key]*peer
	up        int
	changed   bool // the set of known peers differs from the last written one
	unnamed   map[uint64]*unnamedConn
	fresh     []*unnamedConn       // unnamed ones, oldest first; some are settled
	settled   int                  // how many of fresh
	stock     map[uint64]bool      // see StockConns; nil: look at unnamed
	own       map[uint64]bool      // see OwnConns; nil: look at byConn
	vanished  time.Time            // when an unnamed connection last ended
	lost      int64                // the position then
	proxied   bool                 // some connection has or had more than one minion
	signed    map[string]time.Time // sign-ins of ids that are not connected
	former    map[string]bool      // stock minions of the previous process; true: connected when it ended a moment ago
	from      int64                // the position at the start of this process

	// hooks holds the calls of to that are due, in order; the holder of emit runs
	// them. mu is never held while waiting for anything else: the engine calls the
	// registry under its own lock.
	hooks []func()
	emit  sync.Mutex
}

// Changes receives changes of presence, one at a time and in order. It must not call the registry.
type Changes interface {
	// PeerUp is called for a peer that connects, and again when a connected one announces itself:
	// its running jobs may differ.
	PeerUp(a Announcement)
	// PeerDown is called for a peer that is no longer connected.
	PeerDown(p Peer)
}

// New returns a registry.
func New(cfg Config) *Registry {
	cfg.fill()
	r := &Registry{
		cfg: cfg, started: cfg.Now(),
		sessions: map[string]*session{}, waiting: map[key]*session{}, byConn: map[uint64]*session{}, peers: map[key]*peer{},
		unnamed: map[uint64]*unnamedConn{}, signed: map[string]time.Time{}, former: map[string]bool{},
		from: cfg.Position(),
	}
	for _, p := range cfg.Known {
		if p.Stock {
			r.former[p.ID] = !p.Gone
			continue
		}
		p.Up, p.Since = false, time.Time{}
		if p.Gone { // no time to come back
			p.Since = r.started.Add(-cfg.StartGrace - cfg.Lease)
		}
		p.Gone = false
		r.peers[key{p.Role, p.ID}] = &peer{Peer: p, stock: -1}
	}
	return r
}

// Begin starts the time in which peers of the previous process may come back. From now on to
// receives the changes.
func (r *Registry) Begin(to Changes) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to, r.started = to, r.cfg.Now()
}

// Subscribed records that a connection subscribed under a session. It ignores an empty text.
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
	r.own = nil
	//mutant:announced-connections-stay
	if s.id != "" {
		c.Trust()
	}
	if s.id == "" && s.unnamedConn == nil {
		s.unnamedConn = r.addUnnamed(c, Before{})
	}
	if s.id == "" || len(s.conns) > 1 {
		// It is not known what the peer runs before it announces itself again.
		r.mu.Unlock()
		return
	}
	r.bind(s)
	r.queueUp(s.ann)
	r.unlockAndRunHooks()
}

// add creates a session that lacks its connection or its announcement. The caller holds mu.
func (r *Registry) add(text string) *session {
	s := &session{text: text}
	r.sessions[text] = s
	r.unclaimed++
	return s
}

// Closed records the end of a connection.
func (r *Registry) Closed(conn uint64) {
	at := r.cfg.Position() // counts all that it can have received
	r.mu.Lock()
	s := r.byConn[conn]
	if s == nil {
		r.closeUnnamed(conn, at)
		r.unlockAndRunHooks()
		return
	}
	delete(r.byConn, conn)
	r.own = nil
	s.conns = slices.DeleteFunc(s.conns, func(c Conn) bool { return c.ID() == conn })
	if len(s.conns) > 0 {
		r.mu.Unlock()
		return
	}
	delete(r.sessions, s.text)
	if s.id == "" {
		r.unclaimed--
		r.vanish(s.unnamedConn, at)
		r.mu.Unlock()
		return
	}
	r.part(s)
	r.unlockAndRunHooks()
}

// part removes an ended session from its peer. The caller holds mu.
func (r *Registry) part(s *session) {
	p := r.peers[s.key()]
	if p == nil { // revoked
		return
	}
	p.sessions = slices.DeleteFunc(p.sessions, func(have *session) bool { return have == s })
	if len(p.sessions) == 0 {
		r.queueDown(p)
		return
	}
	r.follow(p)
}

// follow sets version and kind of a peer from its sessions: from the latest one that announces
// itself, or else the latest. The caller holds mu.
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

// Announce binds a session to an id that the caller has authenticated. connected reports
// whether the session's subscription is open; if not, the binding waits for it.
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
		if old != nil { // at most one per peer
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
	r.settle(s.unnamedConn)
	if len(s.conns) == 0 {
		r.mu.Unlock()
		return false, nil
	}
	if fresh {
		r.bind(s)
	}
	r.queueUp(a)
	r.unlockAndRunHooks()
	return true, nil
}

// drop removes a session that waits for its subscription. The caller holds mu.
func (r *Registry) drop(s *session) {
	delete(r.sessions, s.text)
	delete(r.waiting, s.key())
	r.unclaimed--
}

// bind adds a session that has both its connection and its announcement. The caller holds mu.
func (r *Registry) bind(s *session) {
	r.unclaimed--
	if r.waiting[s.key()] == s {
		delete(r.waiting, s.key())
	}
	r.join(s)
}

// join adds a session to its peer. The caller holds mu.
func (r *Registry) join(s *session) {
	//mutant:named-connections-stay
	for _, c := range s.conns {
		c.Trust()
	}
	p := r.peers[s.key()]
	if p == nil {
		p = &peer{Peer: Peer{ID: s.id, Role: s.ann.Role}, stock: -1}
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
		r.changed = true // the next process has to wait for it
	}
}

// Revoke removes an id whose key was deleted, in both roles, and closes its connections.
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
				r.own = nil
			}
			conns = append(conns, s.conns...)
		}
		if p.Up {
			r.queueDown(p)
		}
	}
	r.unlockAndRunHooks()
	for _, c := range conns {
		c.Close()
	}
}

// Forget removes a minion that is not connected and no longer announces itself, as after a
// change to Python.
func (r *Registry) Forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	own := key{Minion, id}
	if p := r.peers[own]; p != nil && !p.Up && !p.Stock {
		delete(r.peers, own)
		r.changed = true
	}
}

// queueUp queues a call of Up. The caller holds mu.
func (r *Registry) queueUp(a Announcement) {
	if to := r.to; to != nil {
		r.hooks = append(r.hooks, func() { to.PeerUp(a) })
	}
}

// queueDown marks a peer as down and queues a call of Down. The caller holds mu.
func (r *Registry) queueDown(p *peer) {
	p.Up, p.Since = false, r.cfg.Now()
	r.up--
	if gone, to := p.Peer, r.to; to != nil {
		r.hooks = append(r.hooks, func() { to.PeerDown(gone) })
	}
}

// unlockAndRunHooks releases mu and runs the queued hooks.
func (r *Registry) unlockAndRunHooks() {
	due := len(r.hooks) > 0
	r.mu.Unlock()
	if !due {
		return
	}
	r.emit.Lock()
	defer r.emit.Unlock()
	for {
		r.mu.Lock()
		if len(r.hooks) == 0 {
			r.hooks = nil
			r.mu.Unlock()
			return
		}
		hook := r.hooks[0]
		r.hooks[0] = nil
		r.hooks = r.hooks[1:]
		r.mu.Unlock()
		hook()
	}
}
