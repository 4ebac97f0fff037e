package admission

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAddresses(t *testing.T) {
	at := time.Unix(1000, 0)
	a := NewAddresses(func() time.Time { return at })
	a.last.Resize(2)
	ip := func(n byte) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, n}) }
	if a.Has(ip(1)) {
		t.Error("trusted without a request")
	}
	a.Note(netip.Addr{})
	a.Note(ip(1))
	a.Note(ip(2))
	at = at.Add(2 * trustStep)
	a.Note(ip(1))
	a.Note(ip(3)) // drops 2
	if !a.Has(ip(1)) || a.Has(ip(2)) || !a.Has(ip(3)) {
		t.Errorf("%v %v %v", a.Has(ip(1)), a.Has(ip(2)), a.Has(ip(3)))
	}
	at = at.Add(trustFor + time.Second)
	if a.Has(ip(1)) {
		t.Error("trusted for ever")
	}
}

func TestNonces(t *testing.T) {
	n := NewNonces()
	again := func(id, nonce string) bool {
		_, again, err := n.Once(t.Context(), id, nonce, func() (any, error) { return nil, nil })
		if err != nil {
			t.Fatal(err)
		}
		return again
	}
	if again("a", "1") || !again("a", "1") || again("b", "1") || again("a", "") || again("a", "") {
		t.Error("repeats are not recognized")
	}
	for i := range maxNonces {
		again("c", fmt.Sprint(i))
	}
	if n.seen.Len() != maxNonces || again("a", "1") {
		t.Errorf("%d recorded, with the oldest", n.seen.Len())
	}
}

// Repeats get the result of the first, whatever it is, and not before it. Three at once, for each
// kind of result.
func TestNonces_RepeatsWait(t *testing.T) {
	full := errors.New("full")
	for _, c := range []struct {
		name     string
		value    any
		err      error
		want     any
		wantErr  error
		panicked bool
	}{
		{name: "acknowledged"},
		{name: "a value", value: "late", want: "late"},
		{name: "not now", err: fmt.Errorf("disk: %w", full), wantErr: full},
		{name: "failed", err: errors.New("bad"), wantErr: ErrFailedBefore},
		{name: "a panic", panicked: true, wantErr: ErrFailedBefore},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, hold, served := NewNonces(), make(chan struct{}), 0
				serve := func() (any, error) {
					served++
					<-hold
					if c.panicked {
						panic("serve")
					}
					return c.value, c.err
				}
				go func() {
					defer func() { _ = recover() }()
					_, _, _ = n.Once(t.Context(), "a", "1", serve, full)
				}()
				synctest.Wait()
				type answer struct {
					v     any
					again bool
					err   error
				}
				answers := make(chan answer, 3)
				for range 3 {
					go func() {
						v, again, err := n.Once(t.Context(), "a", "1", serve, full)
						answers <- answer{v, again, err}
					}()
				}
				short, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if _, again, err := n.Once(short, "a", "1", serve); !again || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("after its deadline a repeat has %v", err)
				}
				synctest.Wait()
				if len(answers) != 0 || n.Waiting() != 3 {
					t.Fatalf("%d answered before the first, %d wait", len(answers), n.Waiting())
				}
				close(hold)
				for range 3 {
					if a := <-answers; !a.again || a.v != c.want || a.err != c.wantErr {
						t.Errorf("a repeat has %+v", a)
					}
				}
				if v, again, err := n.Once(t.Context(), "a", "1", serve, full); !again || v != c.want || err != c.wantErr || served != 1 {
					t.Errorf("a late repeat has %v %v %v; served %d times", v, again, err, served)
				}
			})
		})
	}
}

// A lane serves in order of arrival, and refuses what does not fit.
func TestLane(t *testing.T) {
	l := NewLane(1, 2)
	at, hold := make(chan struct{}), make(chan struct{})
	var served []int
	full := func() { t.Error("full too early") }
	l.Submit(func() { close(at); <-hold }, full, there)
	<-at // running, so no longer queued
	for i := range 2 {
		l.Submit(func() { served = append(served, i) }, full, there)
	}
	turned := false
	l.Submit(func() { t.Error("served beyond the bound") }, func() { turned = true }, there)
	if !turned || l.Depth() != 2 {
		t.Errorf("refused %v, %d wait", turned, l.Depth())
	}
	close(hold)
	l.Close()
	if len(served) != 2 || served[0] != 0 {
		t.Errorf("served %v", served)
	}
}

func TestTurns(t *testing.T) {
	s := NewTurns(2)
	s.Take()
	if !s.TryTake() || s.TryTake() {
		t.Error("not two at once")
	}
	s.Give()
	if !s.TryTake() {
		t.Error("the released turn is not free")
	}
}
