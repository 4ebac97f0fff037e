package auth

import (
	"context"
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/network"
	"github.com/momtree/mom/internal/timing"
)

const (
	// delayAfter is the time between a failed login and the next check, for the same user or
	// address. It doubles with each failure, up to delayMost.
	delayAfter = 500 * time.Millisecond
	delayMost  = 8 * time.Second
	// freeOfAddress is how many failures of one address cause no delay, as it may be shared
	// by many people.
	freeOfAddress = 20
	// patience is how long a login may wait; one that would wait longer is refused at once.
	patience = 10 * time.Second
	// forgottenAfter is when failures expire.
	forgottenAfter = 15 * time.Minute
	// maxRemembered bounds the users and addresses with failures, and the pairs that have
	// logged in; the oldest are dropped.
	maxRemembered = 16 << 10
	// maxUnderWay bounds the logins in progress, and maxOfAddress those of one address. As many
	// more are reserved for users known from their address.
	maxUnderWay  = 1 << 10
	maxOfAddress = 128
)

// slowdown delays logins that may be guesses. For a user with failures, and an address with many, it
// admits one login at a time, at growing intervals. For a user who has logged in from an address
// before, only the failures of that pair count, so guesses of others lock nobody out.
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

// held is what a delay applies to: a user, an address, or a pair of them.
type held struct {
	key  string
	free int // failed logins that cost nothing
}

// turn is one login in progress.
type turn struct {
	*slowdown
	by        []held
	pair      string // "" without an address
	user      string
	block     string // the address, as far as a stranger cannot choose it
	returning bool   // the pair has logged in before
	left      bool
}

// enter blocks until a login may be checked. It returns [ErrBusy] if that would take too long. The
// caller calls leave.
func (s *slowdown) enter(ctx context.Context, c Credentials) (*turn, error) {
	//mutant:login-spellings
	t := &turn{slowdown: s, user: "user\x00" + c.Eauth + "\x00" + folded(c.Username), block: network.Block(c.From)}
	if c.From != "" {
		t.pair = t.user + "\x00" + t.block
	}
	wait, err := s.queue(t, c)
	if err == nil && wait > 0 {
		if err = timing.Sleep(ctx, wait); err != nil {
			t.leave()
		}
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// queue returns how long a login has to wait, and extends the wait of later ones.
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

// recent returns failures that have not expired. A clock that was set back extends nothing.
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

// delay returns the delay after n failures.
func delay(n int) time.Duration {
	if n > 5 { // 8 s are reached
		return delayMost
	}
	return min(delayAfter<<max(0, n-1), delayMost)
}

// failed counts a refused login.
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

// passed clears the failures of an authenticated user, as far as they delayed this login. Guesses from
// elsewhere, and failures of the address, still count.
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

// leave ends the turn. Further calls do nothing.
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
