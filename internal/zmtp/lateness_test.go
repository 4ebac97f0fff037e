package zmtp

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/waiting"
)

// How long a silent peer that answers heartbeats is kept, for a lateness of this process from
// zero to far above the bound. Lateness that has passed is forgotten.
func TestSilenceWhileThisProcessIsLate(t *testing.T) {
	for _, c := range []struct {
		late        time.Duration
		least, most time.Duration
	}{
		{0, 3 * time.Second, 4 * time.Second},
		{lateUnit, 6 * time.Second, 7 * time.Second},
		{4 * lateUnit, 15 * time.Second, 17 * time.Second},
		{time.Hour, mostPatience * 3 * time.Second, mostPatience*3*time.Second + 2*time.Second},
	} {
		near, far := net.Pipe()
		p := &Peer{guard: newGuard(near, limitsForTest(), nil), dead: make(chan struct{})}
		p.reading.Store(true)
		p.pulse.answers.Store(true)
		h := heart{interval: time.Hour, timeout: 3 * time.Second, late: &lateness{}}
		h.peers = func(into []*Peer) []*Peer { return append(into, p) }
		k := h.pace()
		k.step = 100 * time.Millisecond
		k.round = k.step
		now := k.last
		var silent time.Duration
		for !p.Gone() && silent < time.Minute {
			h.late.by.Store(int64(c.late) * 8 / 7) // each look forgets an eighth
			now = now.Add(k.step)
			silent += k.step
			k.tick(now)
		}
		if silent < c.least || silent > c.most || !errors.Is(p.err, ErrSilent) {
			t.Errorf("%v late: borne for %v, want %v to %v; %v", c.late, silent, c.least, c.most, p.err)
		}
		_, _ = near.Close(), far.Close()
	}
	l := &lateness{}
	l.note(time.Second)
	for range 100 {
		l.note(0)
	}
	if got := l.patient(); got > 1.01 {
		t.Errorf("long after it was late it is %v times as patient", got)
	}
}

// The heart itself notices a late look.
func TestTheHeartNoticesThatItIsLate(t *testing.T) {
	h := heart{interval: time.Second, timeout: time.Minute, peers: func(into []*Peer) []*Peer { return into }}
	k := h.pace()
	k.tick(k.last.Add(k.step + 2*lateUnit))
	if got := k.late.get(); got != 2*lateUnit {
		t.Errorf("late by %v", got)
	}
}

// A peer in its handshake with a late process gets more time, too.
func TestAGreetingByALateProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for late, want := range map[time.Duration]time.Duration{0: time.Second, lateUnit: 2 * time.Second, time.Hour: mostPatience * time.Second} {
			near, far := net.Pipe()
			l := &lateness{}
			l.by.Store(int64(late))
			k := newTicket(near, netip.Addr{}, time.Second, l)
			begun := time.Now()
			if _, err := k.Read(make([]byte, 1)); err == nil {
				t.Error("a mute peer has spoken")
			}
			if took := time.Since(begun); took != want {
				t.Errorf("%v late: a mute peer was waited for %v, want %v", late, took, want)
			}
			_, _ = near.Close(), far.Close()
		}
	})
}

// A peer that is not scheduled, like one of 10,000 on two cores that all run the same job, has
// as much time for its greeting as libzmq gives, while there is room.
func TestAGreetingByALatePeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		defer near.Close()
		k := newTicket(near, netip.Addr{}, config.DefaultMaster().HandshakeTimeout, nil)
		go func() {
			time.Sleep(25 * time.Second)
			_, _ = far.Write([]byte{0xff})
		}()
		if _, err := k.Read(make([]byte, 1)); err != nil {
			t.Error("it was cut:", err)
		}
	})
}

// A peer that hangs up before its greeting was not refused; one that sends nothing was.
func TestWhoHangsUpIsNotRefused(t *testing.T) {
	r := newRouter(t, RouterConfig{Limits: Limits{HandshakeTimeout: 50 * time.Millisecond}}, echo)
	for range 3 {
		p := dialRaw(t, r.Addr())
		p.say(t, greeting(1)[:20])
		_ = p.Close()
	}
	mute := dialRaw(t, r.Addr())
	mute.gone(t)
	waiting.Until(t, "all are counted", func() bool { s := r.Stats(); return s.HandshakeGone == 3 && s.HandshakeFailed == 1 })
}
