package cluster

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/returners"
)

// leases is a shared store in memory.
type leases struct {
	mu     sync.Mutex
	holder string
	until  time.Time
	down   bool
}

func (s *leases) Lease(_ context.Context, _, holder string, ttl time.Duration) (bool, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.down:
		return false, time.Time{}, errors.New("database is away")
	case s.holder != holder && time.Now().Before(s.until):
		return false, s.until, nil
	}
	s.holder, s.until = holder, time.Now().Add(ttl)
	return ttl > 0, s.until, nil
}

func (s *leases) set(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// One of two tops leads. When it stops, the other one does so with its next attempt; when the
// database is away, the leader stops before its lease ends.
func TestLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &leases{}
		begin := func(node string) (l *Leader, stop func()) {
			l = NewLeader(LeaderOptions{Cluster: "c", Node: node, Store: func() returners.Leaser { return db }, Log: slog.New(slog.DiscardHandler)})
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); l.Run(ctx) }()
			synctest.Wait()
			return l, func() { cancel(); <-done }
		}
		one, stopOne := begin("one")
		two, stopTwo := begin("two")
		check := func(when string, first, second bool) {
			t.Helper()
			if one.Leads() != first || two.Leads() != second {
				t.Errorf("%s: %v and %v lead, want %v and %v", when, one.Leads(), two.Leads(), first, second)
			}
		}
		check("at the start", true, false)
		time.Sleep(time.Hour + leaseEvery/2) // between two attempts
		check("after an hour", true, false)
		stopOne()
		check("stopped", false, false)
		time.Sleep(leaseEvery)
		synctest.Wait()
		check("after the other's attempt", false, true)
		db.set(true)
		time.Sleep(leaseFor - leaseMargin - leaseEvery)
		check("shortly after the database is lost", false, true)
		time.Sleep(leaseEvery)
		check("before the lease ends", false, false)
		db.set(false)
		time.Sleep(leaseEvery)
		synctest.Wait()
		check("the database is back", false, true)
		stopTwo()
	})
}

// A configured leader needs no lease, and a master without a cluster leads.
func TestLeader_Fixed(t *testing.T) {
	for node, want := range map[string]bool{"one": true, "two": false} {
		l := NewLeader(LeaderOptions{Node: node, Fixed: "one"})
		l.Run(t.Context())
		if l.Leads() != want {
			t.Errorf("%s leads: %v", node, l.Leads())
		}
	}
	if !(*Leader)(nil).Leads() {
		t.Error("a master without a cluster does not lead")
	}
}
