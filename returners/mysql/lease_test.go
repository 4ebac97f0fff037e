package mysql

import (
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// One of two masters has a lease. The other one gets it when it ends or is given up.
func TestLease(t *testing.T) {
	s := server(t)
	db := s.Database(t)
	one, two := open(t, s, db), open(t, s, db)
	lease := func(st *Store, holder string, ttl time.Duration) bool {
		t.Helper()
		held, until, err := st.Lease(t.Context(), "leader", holder, ttl)
		if err != nil {
			t.Fatal(err)
		}
		if left := time.Until(until); held && (left <= 0 || left > ttl+time.Second) {
			t.Errorf("lease of %v ends in %v", ttl, left)
		}
		return held
	}
	if lease(two, "two", 0) {
		t.Error("a lease that was given up is held")
	}
	for range 2 { // acquired, then renewed
		if !lease(one, "one", time.Hour) {
			t.Fatal("not acquired")
		}
	}
	if lease(two, "two", time.Hour) {
		t.Error("held by two masters")
	}
	lease(two, "two", 0) // not its own
	if lease(two, "two", time.Hour) || !lease(one, "one", time.Hour) {
		t.Error("the lease of another was given up")
	}
	lease(one, "one", 0)
	if !lease(two, "two", 100*time.Millisecond) {
		t.Error("not acquired after it was given up")
	}
	waiting.Until(t, "the end of the lease", func() bool { return lease(one, "one", time.Hour) })
	if lease(two, "two", time.Hour) {
		t.Error("renewed after its end")
	}
}
