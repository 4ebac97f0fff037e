package auth

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// guesses is a service with a fake login service, and counts the checks.
type guesses struct {
	*Service
	t *testing.T
	f *fake
}

func newGuesses(t *testing.T) *guesses {
	s, _ := service(t, time.Now, quiet, threeServices)
	s.rules = func(string, Identity) []any { return []any{".*"} }
	return &guesses{s, t, withFake(s, "fake", Driver{})}
}

// try logs in and returns the outcome and the time it took.
func (g *guesses) try(name, password, from string) (time.Duration, error) {
	began := time.Now()
	_, err := g.Authenticate(g.t.Context(), Credentials{Eauth: "fake", Username: name, Password: password, From: from})
	return time.Since(began), err
}

// flood tries n wrong passwords at once and returns how many were checked.
func (g *guesses) flood(n int, name, from func(i int) string) int {
	before := g.f.asked
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { g.try(name(i), "wrong", from(i)) })
	}
	wg.Wait()
	return g.f.asked - before
}

func is(text string) func(int) string     { return func(int) string { return text } }
func each(prefix string) func(int) string { return func(i int) string { return fmt.Sprint(prefix, i) } }

// The more logins of a user fail, the later the next is checked; a correct one resets that.
func TestUserSlowsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses(t)
		for i, seconds := range []int{0, 0, 0, 1, 3, 7, 7} { // in addition to the delay of the refusal
			want := time.Duration(seconds) * time.Second
			took, err := g.try("bob", "wrong", fmt.Sprint("10.0.0.", i))
			if err != ErrDenied || took < want-time.Second/2 || took > want+5*time.Second/2 {
				t.Errorf("guess %d: %v after %v, want about %v", i, err, took, want)
			}
		}
		if took, err := g.try("alice", "right", "10.0.0.1"); err != nil || took != 0 {
			t.Errorf("another user waits: %v after %v", err, took)
		}
		if took, err := g.try("bob", "right", "10.0.0.77"); err != nil || took < 6*time.Second || took > 9*time.Second {
			t.Errorf("the right password: %v after %v", err, took)
		}
		if took, err := g.try("bob", "right", "10.0.0.78"); err != nil || took != 0 {
			t.Errorf("after the right password: %v after %v", err, took)
		}
	})
}

// Concurrent guesses are not checked concurrently.
func TestFloodOfGuesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses(t)
		g.try("bob", "wrong", "10.0.0.1")
		g.try("bob", "wrong", "10.0.0.2")
		if n := g.flood(500, is("bob"), each("10.1.0.")); n > 12 {
			t.Errorf("%d of 500 guesses of a user were looked at", n)
		}
		time.Sleep(forgottenAfter + time.Second)
		for range freeOfAddress + 5 {
			g.flood(1, each(fmt.Sprint("u", time.Now().UnixNano())), is("10.0.0.9"))
		}
		if n := g.flood(500, each("user"), is("10.0.0.9")); n > 3 {
			t.Errorf("%d of 500 guesses from an address were looked at", n)
		}
		if took, err := g.try("carol", "right", "10.0.0.10"); err != nil || took != 0 {
			t.Errorf("another address waits: %v after %v", err, took)
		}
	})
}

// A user who has logged in from an address is not locked out by guesses from elsewhere, nor by
// failures of others at the same address; logins from there do not help an attacker.
func TestKnownAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses(t)
		if _, err := g.try("bob", "right", "10.0.0.5"); err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			g.try("bob", "wrong", fmt.Sprint("10.9.0.", i))
			if took, err := g.try("bob", "right", "10.0.0.5"); err != nil || took != 0 {
				t.Errorf("bob waits: %v after %v", err, took)
			}
		}
		if n := g.flood(500, is("bob"), each("10.1.0.")); n > 3 {
			t.Errorf("%d of 500 guesses were looked at: right logins from a known address help", n)
		}
		g.flood(100, each("user"), is("10.0.0.5"))
		if took, err := g.try("bob", "right", "10.0.0.5"); err != nil || took != 0 {
			t.Errorf("bob waits for others at his address: %v after %v", err, took)
		}
	})
}

// Users, addresses and logins in progress are limited.
func TestTablesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses(t)
		g.f.do = func(context.Context, Credentials) (Identity, error) {
			time.Sleep(time.Second)
			return Identity{}, denied("the fake says no")
		}
		if n := g.flood(maxUnderWay+200, each("user"), is("")); n != maxUnderWay {
			t.Errorf("%d were looked at, want %d", n, maxUnderWay)
		}
		if n := g.flood(maxOfAddress+200, each("other"), is("10.0.0.9")); n != maxOfAddress || len(g.slow.from) != 0 {
			t.Errorf("%d of an address were looked at, want %d; %d addresses are still counted", n, maxOfAddress, len(g.slow.from))
		}
		if g.slow.under != 0 {
			t.Errorf("%d are still under way", g.slow.under)
		}
		for i := range maxRemembered + 100 {
			u := &turn{slowdown: g.slow, by: []held{{fmt.Sprint(i), 0}}, pair: fmt.Sprint(i)}
			u.failed()
			u.passed()
			u.failed()
		}
		if n, k := g.slow.failures.Len(), g.slow.known.Len(); n != maxRemembered || k != maxRemembered {
			t.Errorf("%d failures and %d pairs are remembered, want %d", n, k, maxRemembered)
		}
	})
}

// Setting the clock back locks nobody out.
func TestClockSetBack(t *testing.T) {
	now := time.Now()
	s := newSlowdown(func() time.Time { return now })
	c := Credentials{Eauth: "fake", Username: "bob", From: "10.0.0.1"}
	for range 30 {
		u := &turn{slowdown: s, by: []held{{"user\x00fake\x00bob", 0}, {"from\x0010.0.0.1", 0}}}
		u.failed()
	}
	now = now.Add(-24 * time.Hour)
	u := &turn{slowdown: s, user: "user\x00fake\x00bob"}
	if wait, err := s.queue(u, c); wait != 0 || err != nil {
		t.Errorf("waits %v, %v", wait, err)
	}
}

// A refused login holds no slot while its answer is delayed, and is answered at once if the caller
// delays it.
func TestRefusedHoldNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses(t)
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() { g.try(fmt.Sprint("user", i), "wrong", fmt.Sprint("10.2.0.", i)) })
		}
		synctest.Wait()
		if g.slow.under != 0 || g.f.asked != 50 {
			t.Errorf("%d of %d hold a place", g.slow.under, g.f.asked)
		}
		wg.Wait()
		began := time.Now()
		if _, err := g.Authenticate(t.Context(), Credentials{Eauth: "fake", Username: "bob", Password: "wrong", From: "10.2.1.1", Prompt: true}); err != ErrDenied || time.Since(began) != 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// Guesses that fill every slot do not keep out a user who has logged in from the address before,
// neither among the logins in progress nor at the login service.
func TestPlacesOfKnownUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := service(t, time.Now, quiet, threeServices)
		s.rules = func(string, Identity) []any { return []any{".*"} }
		g := &guesses{s, t, withFake(s, "fake", Driver{AtOnce: 1})}
		if _, err := g.try("bob", "right", "10.0.0.5"); err != nil {
			t.Fatal(err)
		}
		g.f.do = func(_ context.Context, c Credentials) (Identity, error) {
			if c.Password != "right" {
				time.Sleep(5 * time.Second)
				return Identity{}, denied("the fake says no")
			}
			return Identity{Name: c.Username}, nil
		}
		var wg sync.WaitGroup
		for i := range maxUnderWay {
			wg.Go(func() { g.try(fmt.Sprint("user", i), "wrong", fmt.Sprintf("10.3.%d.%d", i/250, i%250)) })
		}
		synctest.Wait()
		if g.slow.under != maxUnderWay {
			t.Errorf("%d are under way", g.slow.under)
		}
		if took, err := g.try("bob", "right", "10.0.0.5"); err != nil || took != 0 {
			t.Errorf("a known user: %v after %v", err, took)
		}
		if _, err := g.try("carol", "right", "10.0.0.6"); err != ErrBusy {
			t.Errorf("a user from a new address: %v", err)
		}
		wg.Wait()
	})
}

// Spellings of a name that a directory treats as one user, and addresses of one network, share
// their delays.
func TestSpellingsAndNetworks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuesses(t)
		for i, name := range []string{"Bob", "bOb", "BOB", "\uff42ob"} {
			g.try(name, "wrong", fmt.Sprint("10.0.0.", i))
		}
		if took, err := g.try("boB", "right", "10.0.1.1"); err != nil || took < 2*time.Second {
			t.Errorf("the fifth spelling waits %v: %v", took, err)
		}
		for i := range freeOfAddress + 5 {
			g.try(fmt.Sprint("user", i), "wrong", fmt.Sprintf("2001:db8::%x", i))
		}
		if took, _ := g.try("dave", "wrong", "2001:db8::ffff"); took < 3*time.Second {
			t.Errorf("another address of the network waits %v", took)
		}
		if took, err := g.try("erin", "right", "2001:db8:0:1::1"); err != nil || took != 0 {
			t.Errorf("another network waits %v: %v", took, err)
		}
		g.try("frank", "right", "2001:db8:0:2::1")
		g.try("frank", "wrong", "2001:db8:0:7::1")
		g.try("frank", "wrong", "2001:db8:0:8::1")
		if took, err := g.try("frank", "right", "2001:db8:0:2::77"); err != nil || took != 0 {
			t.Errorf("a known user at another address of the network waits %v: %v", took, err)
		}
	})
}
