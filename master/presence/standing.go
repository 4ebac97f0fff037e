package presence

import (
	"time"

	"github.com/momtree/mom/master/engine"
)

// longestWait bounds the wait for a minion while connections are unnamed, from the start of
// the registry or the end of the minion's connection.
const longestWait = 90 * time.Second

// justCame is how long a new connection may take for its first answer before jobs stop
// waiting for it.
const justCame = 30 * time.Second

// Standing is what is known about a minion's connection.
type Standing struct {
	Live engine.Liveness
	// Grace is how long an Away minion may take to come back.
	Grace time.Duration
	// Stock says that it does not announce itself: ask it for its running jobs.
	Stock bool
	// Doubt says that it is known neither to be connected nor to be gone; that may change
	// at any moment.
	Doubt bool
	// Arriving says that it is in doubt and signed in recently, so it is about to connect.
	Arriving bool
}

// Minion returns the standing of a minion, stock ones included. Down is returned with proof
// only. A minion that announces itself is down when its session has ended and its lease has
// expired. A stock minion is down if all of these hold:
//
//   - it is on no connection;
//   - it was not connected within Reconnect, and has not signed in within that time, as a
//     minion does before it connects;
//   - the registry has run for Reconnect, so that minions connected to the previous process
//     are back, or the minion was not connected when that process ended;
//   - each open connection is named, or has been silent for so long that no starting minion
//     is behind it, and no unnamed one has ended within Reconnect.
//
// Without proof it is Untracked, and jobs wait for it as Salt does.
func (r *Registry) Minion(id string) Standing {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[key{Minion, id}]
	if p != nil && !p.Stock {
		live, grace := r.grace(p)
		return Standing{Live: live, Grace: grace}
	}
	s := Standing{Live: engine.Untracked, Stock: true}
	switch {
	case !r.cfg.Asks:
	case p != nil && p.Up:
		s.Live = engine.Up
	case p != nil && r.left(p.Since) > 0:
		s.Live, s.Grace = engine.Away, r.left(p.Since)
	case r.sureOf(id) && !r.arriving(id):
		s.Live = engine.Down
	default:
		s.Doubt, s.Arriving = true, r.arriving(id)
	}
	return s
}

// Gone reports whether a minion that is overdue is certainly not connected. If it is not
// certain, again is when to check once more, or 0 for never. Checking again is useful while
// minions of the previous process come back, and shortly after a new unnamed connection.
func (r *Registry) Gone(id string) (certain bool, again time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.peers[key{Minion, id}]
	if p != nil && (p.Up || !p.Stock) || !r.cfg.Asks {
		return p != nil && !p.Stock, 0
	}
	from := r.started
	//mutant:stock-minions-get-time-after-a-start
	if p != nil {
		from = p.Since
	} else if left := r.left(from); left > 0 && (!r.cfg.Sure || r.former[id]) {
		return false, left // this master restarted
	}
	now := r.cfg.Now()
	if l := r.newest(); l != nil && now.Sub(l.since) < justCame && now.Sub(from) < longestWait {
		return false, time.Second
	}
	return (p == nil || r.left(from) <= 0) && r.sureOf(id) && !r.arriving(id), 0
}

// Sure reports whether an id on no connection is certainly not connected.
func (r *Registry) Sure() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sure()
}

func (r *Registry) sure() bool { return r.left(r.started) <= 0 && r.allNamed() }

// sureOf is Sure for one id. After a restart it holds for a minion that was not connected
// before, as soon as the connections of those that were are named.
func (r *Registry) sureOf(id string) bool {
	return (r.left(r.started) <= 0 || r.cfg.Sure && !r.former[id]) && r.allNamed()
}

// allNamed reports whether each connection is named, or has no minion behind it.
func (r *Registry) allNamed() bool {
	if !r.cfg.Asks || r.left(r.vanished) > 0 {
		return false
	}
	l := r.newest()
	//mutant:nameless-connections-hide-nobody,never-connected-minions-are-away
	return l == nil || r.cfg.Now().Sub(l.since) >= MuteFor
}

// left returns the rest of the time that a stock minion takes to reconnect.
func (r *Registry) left(from time.Time) time.Duration {
	return r.cfg.Reconnect - r.cfg.Now().Sub(from)
}

// SignedIn records a sign-in: a stock minion connects after it.
func (r *Registry) SignedIn(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.peers[key{Minion, id}]; p == nil || !p.Up {
		r.signed[id] = r.cfg.Now()
	}
}

// arriving reports whether an id signed in recently and is not connected yet. The caller
// holds mu.
func (r *Registry) arriving(id string) bool {
	at, ok := r.signed[id]
	if ok && r.left(at) <= 0 {
		delete(r.signed, id)
		return false
	}
	return ok
}
