package presence

import (
	"time"

	"github.com/momtree/mom/master/engine"
)

// longestWait bounds how long a minion is waited for because connections have not
// said yet who they are, from the start of the registry or the end of its own.
const longestWait = 90 * time.Second

// justCame is how long a connection is given for its first answer before nobody
// waits for it any more.
const justCame = 30 * time.Second

// Standing is what is known of a minion's connection.
type Standing struct {
	Live engine.Liveness
	// Grace is what one that is Away has left to come back.
	Grace time.Duration
	// Stock: it does not announce itself, so what it works on has to be asked.
	Stock bool
	// Doubt: it is not known to be connected, and not known to be gone; that may become
	// certain any moment.
	Doubt bool
	// Arriving: it is in doubt and has signed in lately, so it is there or about to be.
	Arriving bool
}

// Minion tells where a minion stands, stock ones included. Down is said with proof
// alone. Of one that announces itself: its session has ended and its lease is over.
// Of any other it takes all of these:
//
//   - it hangs on no connection;
//   - it was not here within Reconnect, and has not signed in within that time, as one
//     does that is about to connect;
//   - the registry has lived for Reconnect, so that who was connected to an earlier
//     life would be back, or it was not connected when that ended;
//   - each connection that stands has said whose it is, or has said nothing for so
//     long that no starting minion is behind it; and none has ended without a word
//     within Reconnect, whose minion may be on its way back.
//
// What lacks one of them is Untracked, and waited for as Salt does.
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

// Gone is Minion for one whose time is up: whether it is certain that it is not
// connected, and if not, in how long it is worth to look again; 0: it is not. It is
// while those who were connected to an earlier life come back, and for a moment when
// there is a new connection that has not said whose it is.
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
		return false, left // it was this master that went
	}
	now := r.cfg.Now()
	if l := r.newest(); l != nil && now.Sub(l.since) < justCame && now.Sub(from) < longestWait {
		return false, time.Second
	}
	return (p == nil || r.left(from) <= 0) && r.sureOf(id) && !r.arriving(id), 0
}

// Sure tells whether an id that hangs nowhere is certainly not connected.
func (r *Registry) Sure() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sure()
}

func (r *Registry) sure() bool { return r.left(r.started) <= 0 && r.allNamed() }

// sureOf is Sure for one id. Just after a start it holds for a minion that was not connected
// when the earlier life ended, as soon as those that were and are back have said who they are.
func (r *Registry) sureOf(id string) bool {
	return (r.left(r.started) <= 0 || r.cfg.Sure && !r.former[id]) && r.allNamed()
}

// allNamed reports whether each connection has said whose it is, or is that of no minion.
func (r *Registry) allNamed() bool {
	if !r.cfg.Asks || r.left(r.vanished) > 0 {
		return false
	}
	l := r.newest()
	//mutant:nameless-connections-hide-nobody,never-connected-minions-are-away
	return l == nil || r.cfg.Now().Sub(l.since) >= MuteFor
}

// left is what is left of the time in which a stock minion connects again.
func (r *Registry) left(from time.Time) time.Duration {
	return r.cfg.Reconnect - r.cfg.Now().Sub(from)
}

// SignedIn tells that an id has signed in: if it is a stock minion, it is about to
// connect.
func (r *Registry) SignedIn(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.peers[key{Minion, id}]; p == nil || !p.Up {
		r.signed[id] = r.cfg.Now()
	}
}

// arriving tells whether an id has signed in lately and is not connected yet. The
// caller holds mu.
func (r *Registry) arriving(id string) bool {
	at, ok := r.signed[id]
	if ok && r.left(at) <= 0 {
		delete(r.signed, id)
		return false
	}
	return ok
}
