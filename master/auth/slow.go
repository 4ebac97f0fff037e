package auth

import (
	"context"
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/netblock"
	"github.com/momtree/mom/internal/sleep"
)

const (
	// delayAfter is what comes between a failed login and the next that is looked at, of
	// the same user or address. It doubles with each that fails, up to delayMost.
	delayAfter = 500 * time.Millisecond
	delayMost  = 8 * time.Second
	// freeOfAddress is how many logins may fail from one address before it is slowed
	// down: many people can be behind one.
	freeOfAddress = 20
	// patience is how long a login waits for its turn. One that would wait longer is
	// not looked at.
	patience = 10 * time.Second
	// forgottenAfter is when failed logins do not count any more.
	forgottenAfter = 15 * time.Minute
	// maxRemembered bounds the users and addresses whose failed logins are remembered,
	// and the pairs that have logged in; the oldest give way.
	maxRemembered = 16 << 10
	// maxUnderWay bounds the logins that wait or are being checked, and maxOfAddress those
	// of one address. As many more are kept for users known from their address.
	maxUnderWay  = 1 << 10
	maxOfAddress = 128
)

// slowdown has logins that may be guesses wait. A user with failed logins, and an address
// with many, gets one at a time looked at, ever more seldom. Somebody who has logged in
// from an address before is held to what failed of that very user from there alone, so
// that guesses of others do not shut anybody out.
type slowdown struct {
	now func() time.Time

	mu       sync.Mutex
	under    int                             // logins under way
	reserved int                             // those of them of known pairs
	from     map[string]int                  // those of the others by address; none is 0
	failures *lru.Guarded[string, *failures] // by user, by address, by the pair of them
	known    *lru.Guarded[string, struct{}]  // pairs that have logged in
}

type failures struct {
	n    int
	last time.Time
	next time.Time // when the next login is looked at
}

func newSlowdown(now func() time.Time) *slowdown {
	return &slowdown{now: now, from: map[string]int{}, failures: lru.NewGuarded[string, *failures](maxRemembered, nil), known: lru.NewGuarded[string, struct{}](maxRemembered, nil)}
}

// held is what a login is held to: a user, an address or the pair of them.
type held struct {
	key  string
	free int // failed logins that cost nothing
}

// turn is one login under way.
type turn struct {
	*slowdown
	by        []held
	pair      string // "" without an address
	user      string
	block     string // the address, as far as a stranger cannot choose it
	returning bool   // the pair has logged in before
	left      bool
}

// enter returns when it is the turn of a login: [ErrBusy] if that takes too long. The
// turn has to be left.
func (s *slowdown) enter(ctx context.Context, c Credentials) (*turn, error) {
	//mutant:login-spellings
	t := &turn{slowdown: s, user: "user\x00" + c.Eauth + "\x00" + folded(c.Username), block: netblock.Of(c.From)}
	if c.From != "" {
		t.pair = t.user + "\x00" + t.block
	}
	wait, err := s.queue(t, c)
	if err == nil && wait > 0 {
		if err = sleep.For(ctx, wait); err != nil {
			t.leave()
		}
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// queue tells how long a login has to wait, and has those behind it wait for longer.
func (s *slowdown) queue(t *turn, c Credentials) (wait time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.returning = t.pair != "" && c.Username != "" && s.known.Contains(t.pair)
	switch {
	case t.returning && s.reserved >= maxUnderWay,
		!t.returning && s.under-s.reserved >= maxUnderWay,
		!t.returning && c.From != "" && s.from[t.block] >= maxOfAddress:
		return 0, ErrBusy
	}
	switch {
	case t.returning:
		t.by = []held{{t.pair, 0}}
	default:
		if c.Username != "" { // a bearer token says whose it is, and cannot be guessed
			t.by = append(t.by, held{t.user, 0})
		}
		if c.From != "" {
			t.by = append(t.by, held{"from\x00" + t.block, freeOfAddress})
		}
	}
	now := s.now()
	for _, h := range t.by {
		if f := s.recent(h, now); f != nil && f.n > h.free {
			wait = max(wait, f.next.Sub(now))
		}
	}
	if wait > patience {
		return 0, ErrBusy
	}
	for _, h := range t.by {
		if f := s.recent(h, now); f != nil && f.n > h.free {
			f.next = now.Add(wait + delay(f.n-h.free))
		}
	}
	s.under++
	switch {
	case t.returning:
		s.reserved++
	case c.From != "":
		s.from[t.block]++
	}
	return wait, nil
}

// recent gives the failed logins that still count. A clock that was set back lengthens
// nothing.
func (s *slowdown) recent(h held, now time.Time) *failures {
	f, ok := s.failures.Get(h.key)
	if !ok {
		return nil
	}
	if age := now.Sub(f.last); age < 0 || age > forgottenAfter {
		s.failures.Remove(h.key)
		return nil
	}
	return f
}

// delay is what comes after the nth failed login.
func delay(n int) time.Duration {
	if n > 5 { // 8 s are reached
		return delayMost
	}
	return min(delayAfter<<max(0, n-1), delayMost)
}

// failed counts a login that was refused.
func (t *turn) failed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for _, h := range t.by {
		f := t.recent(h, now)
		if f == nil {
			f = &failures{}
			t.failures.Add(h.key, f)
		}
		f.n, f.last = f.n+1, now
		if next := now.Add(delay(f.n - h.free)); f.n > h.free && next.After(f.next) {
			f.next = next
		}
	}
}

// passed forgets what failed of a user who has shown to be who it is, as far as this login
// was held to it: guesses from elsewhere still count, and so does what failed from the
// address, whoever else is there.
func (t *turn) passed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range t.by {
		if h.free == 0 {
			t.failures.Remove(h.key)
		}
	}
	if t.pair != "" {
		t.slowdown.known.Add(t.pair, struct{}{})
	}
}

// leave ends the turn. Calling it again does nothing.
func (t *turn) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left {
		return
	}
	t.left = true
	t.under--
	if t.returning {
		t.reserved--
		return
	}
	if n := t.from[t.block]; n > 1 {
		t.from[t.block] = n - 1
	} else {
		delete(t.from, t.block)
	}
}
