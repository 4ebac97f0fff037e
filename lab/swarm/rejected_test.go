package swarm

import (
	"testing"

	"github.com/momtree/mom/internal/waiting"
)

// A return that is refused, and refused once more after the sign-in that follows, counts as two
// that were: the account has each answer that is no acknowledgement.
func TestStock_EachRefusalCounts(t *testing.T) {
	f := newFake(t, 3)
	s := play(t, f, nil)
	ready(t, f, s, n)
	f.count(func() int { f.refuse = 2; return 0 })
	f.publish("20260101000000000001", "test.ping", "s001", "glob")
	waiting.Until(t, "it is answered", func() bool { return s.Report().Totals.Acknowledged == 1 })
	if r := s.Report(); r.Requests.Rejected != 2 || r.Totals.Retried != 2 {
		t.Errorf("%+v %+v", r.Totals, r.Requests)
	}
}
