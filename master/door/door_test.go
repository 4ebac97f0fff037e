package door

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAddresses(t *testing.T) {
	at := time.Unix(1000, 0)
	a := NewAddresses(func() time.Time { return at })
	a.max = 2
	ip := func(n byte) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, n}) }
	if a.Has(ip(1)) {
		t.Error("nobody is trusted")
	}
	a.Note(netip.Addr{})
	a.Note(ip(1))
	a.Note(ip(2))
	at = at.Add(2 * trustStep)
	a.Note(ip(1))
	a.Note(ip(3)) // 2 was silent longest
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
	if n.Again("a", "1") || !n.Again("a", "1") || n.Again("b", "1") || n.Again("a", "") || n.Again("a", "") {
		t.Error("not told apart")
	}
	for i := range maxNonces {
		n.Again("c", fmt.Sprint(i))
	}
	if len(n.seen) != maxNonces || n.Again("a", "1") {
		t.Errorf("%d remembered", len(n.seen))
	}
}

// A lane serves in the order of arrival, and turns away what finds no room.
func TestLane(t *testing.T) {
	l := NewLane(1, 2)
	at, hold := make(chan struct{}), make(chan struct{})
	var served []int
	full := func() { t.Error("full too early") }
	l.Submit(func() { close(at); <-hold }, full)
	<-at // it is at work, and waits no more
	for i := range 2 {
		l.Submit(func() { served = append(served, i) }, full)
	}
	turned := false
	l.Submit(func() { t.Error("served beyond the bound") }, func() { turned = true })
	if !turned || l.Depth() != 2 {
		t.Errorf("turned away %v, %d wait", turned, l.Depth())
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
		t.Error("a turn was given back")
	}
}
