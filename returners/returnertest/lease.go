package returnertest

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/returners"
)

// RunLeaser tests the leases of a driver. open returns two stores on one empty database, and closes them
// at the end of the test.
func RunLeaser(t *testing.T, open func(t *testing.T) (one, two returners.Leaser)) {
	for name, test := range map[string]func(t *testing.T, one, two returners.Leaser){
		"OneHolder": testOneHolder, "Race": testLeaseRace,
	} {
		t.Run(name, func(t *testing.T) {
			one, two := open(t)
			test(t, one, two)
		})
	}
}

// lease asks for a lease and checks its end.
func lease(t *testing.T, s returners.Leaser, name, holder string, ttl time.Duration) bool {
	t.Helper()
	held, until, err := s.Lease(t.Context(), name, holder, ttl)
	if err != nil {
		t.Fatal(err)
	}
	if left := time.Until(until); held && (left <= 0 || left > ttl+time.Second) {
		t.Errorf("lease of %v ends in %v", ttl, left)
	}
	return held
}

// One of two masters has a lease. The other one gets it when it ends or is given up.
func testOneHolder(t *testing.T, a, b returners.Leaser) {
	const name = "leader"
	one := func(ttl time.Duration) bool { t.Helper(); return lease(t, a, name, "one", ttl) }
	two := func(ttl time.Duration) bool { t.Helper(); return lease(t, b, name, "two", ttl) }
	if two(0) {
		t.Error("a lease that was given up is held")
	}
	for range 2 { // acquired, then renewed
		if !one(time.Hour) {
			t.Fatal("not acquired")
		}
	}
	if two(time.Hour) {
		t.Error("held by two masters")
	}
	if !lease(t, b, "leader/"+strings.Repeat("ü", 200), "two", time.Hour) {
		t.Error("a lease of another name is held")
	}
	two(0) // not its own
	if two(time.Hour) || !one(time.Hour) {
		t.Error("the lease of another was given up")
	}
	one(0)
	if !two(100 * time.Millisecond) {
		t.Error("not acquired after it was given up")
	}
	waiting.Until(t, "the end of the lease", func() bool { return one(time.Hour) })
	if two(time.Hour) {
		t.Error("renewed after its end")
	}
}

// Of many masters that begin at once with an empty database, one gets the lease.
func testLeaseRace(t *testing.T, one, two returners.Leaser) {
	var wg sync.WaitGroup
	var holders atomic.Int32
	for i := range 16 {
		wg.Go(func() {
			held, _, err := []returners.Leaser{one, two}[i%2].Lease(t.Context(), "leader", Minion(i), time.Hour)
			if err != nil {
				t.Error(err)
			}
			if held {
				holders.Add(1)
			}
		})
	}
	wg.Wait()
	if n := holders.Load(); n != 1 {
		t.Errorf("%d masters hold the lease", n)
	}
}
