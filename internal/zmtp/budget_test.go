package zmtp

import (
	"errors"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

func known(netip.Addr) bool { return true }

// Room is granted in order, never more than the limit and one message, and partly received
// messages never wait for each other.
func TestBudget_OneMessageMayGoBeyond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &budget{limit: 100, patience: time.Second, spent: new(spent)}
		most := int64(0)
		message := func() *charge { return b.begin(newGuard(newScript(1), limitsForTest(), nil)) }
		grow := func(c *charge, n int64) error {
			err := c.grow(n, time.Minute, nil)
			b.mu.Lock()
			most = max(most, b.used)
			b.mu.Unlock()
			return err
		}
		// Five messages of 90 grow step by step at once: two halves fill the limit.
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				c := message()
				for range 9 {
					if err := grow(c, 10); err != nil {
						t.Error(err)
					}
					time.Sleep(time.Millisecond)
				}
				c.arrived()
				c.give()
				c.give()
			})
		}
		all.Wait()
		if b.held() != 0 || b.over != nil || b.waiting.Len() != 0 || len(b.coming) != 0 {
			t.Errorf("held %d, %d wait, %d come", b.held(), b.waiting.Len(), len(b.coming))
		}
		if most > 190 || b.waits.Load() == 0 {
			t.Errorf("%d were held at once, %d waited", most, b.waits.Load())
		}
		// A message larger than the limit is received; meanwhile others wait, but not forever.
		huge := message()
		if err := grow(huge, 500); err != nil {
			t.Error(err)
		}
		if err := message().grow(10, time.Second, nil); !errors.Is(err, ErrBudget) {
			t.Errorf("beside it: %v", err)
		}
		dead := make(chan struct{})
		close(dead)
		if err := message().grow(10, time.Hour, dead); !errors.Is(err, ErrBudget) {
			t.Errorf("of a dead connection: %v", err)
		}
		huge.give()
		if err := message().grow(10, time.Second, nil); err != nil {
			t.Error(err)
		}
	})
}

// A hundred trusted connections that each send most of the largest message, and stop, hold no
// more than the limit and one message; more is not read from them. An honest connection is
// still served, because the stopped ones are cut. The limit is 1 MiB here, the largest message
// 4 MiB.
func TestBudget_OverTrustedConnections(t *testing.T) {
	const limit, largest = 1 << 20, 4 << 20
	r := newRouter(t, RouterConfig{Limits: Limits{MaxFrame: largest, RequestBytes: limit, RequestPatience: 20 * time.Millisecond}}, func(q *Request) {
		q.Peer.Trust()
		q.Reply([]byte("ok"))
	})
	trusted := func() *rawPeer {
		p := dialPeer(t, r.Addr(), 1, "REQ", "")
		p.say(t, message("", "me"))
		p.reply(t)
		return p
	}
	honest := trusted()
	for range 100 {
		p := trusted()
		go func() {
			_, _ = p.Write(append(appendHeader(message("", "")[:2], 0, largest), make([]byte, largest-10)...))
		}()
	}
	waiting.Until(t, "the limit reached", func() bool { return r.Stats().RequestBytes >= limit && r.Stats().BudgetWaits > 10 })
	most := int64(0)
	done := make(chan error)
	go func() {
		_, err := honest.Write(message("", string(make([]byte, largest-10))))
		if err == nil {
			_, _, err = honest.tryFrame()
		}
		done <- err
	}()
	for waiting := true; waiting; {
		select {
		case err := <-done:
			if waiting = false; err != nil {
				t.Errorf("the honest one got no answer: %v", err)
			}
		case <-time.After(time.Millisecond):
			most = max(most, r.Stats().RequestBytes)
		}
	}
	if most > limit+largest {
		t.Errorf("%d KiB were held, the limit is %d and one message %d", most>>10, limit>>10, largest>>10)
	}
	waiting.Until(t, "a cut to be counted: they had stopped", func() bool { return r.Stats().CutBudget > 0 })
}

// The requests of a connection that are being processed bound what it may send next: it waits
// for its own replies, others do not.
func TestBudget_FairToConnections(t *testing.T) {
	const limit = 4 << 20
	hold := make(chan *Request, 10)
	r := newRouter(t, RouterConfig{Credit: 8, Limits: Limits{RequestBytes: limit}, Trusted: known}, func(q *Request) {
		if len(q.Body) > 100 {
			hold <- q
			return
		}
		q.Reply([]byte("ok"))
	})
	greedy, modest := dialPeer(t, r.Addr(), 1, "DEALER", ""), dialPeer(t, r.Addr(), 1, "DEALER", "")
	const size = limit/ownShare/2 + 1
	half := message("", string(make([]byte, size)))
	go func() {
		for range 4 {
			if _, err := greedy.Write(half); err != nil {
				return
			}
		}
	}()
	first, second := <-hold, <-hold // more than its share is being processed now
	waiting.Until(t, "the greedy one waiting, or a third of its requests", func() bool {
		return len(hold) > 0 || first.Peer.guard.paused.Load() && r.Stats().RequestBytes == 2*size
	})
	modest.say(t, half)
	third := <-hold
	if third.Peer == first.Peer {
		t.Error("a third request of one connection is received before the other's first")
	}
	third.Reply(nil)
	first.Reply(nil)
	second.Reply(nil)
	for range 2 {
		(<-hold).Reply(nil)
	}
	waiting.Until(t, "all given back", func() bool { return r.Stats().RequestBytes == 0 })
}
