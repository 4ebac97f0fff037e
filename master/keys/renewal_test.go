package keys

import (
	"testing"
	"time"
)

// A crowd that leaves costs one new key, not one each, and that within the time; who must
// not read the next job costs one at once. Ten leave, one second apart; the bound is a minute.
func TestRenewal(t *testing.T) {
	now := time.Unix(1700000000, 0)
	s, err := NewShared(func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	renewed := func(want bool, when string) {
		t.Helper()
		was := s.Text()
		due, err := s.Renew()
		if err != nil || due != want || (s.Text() != was) != want {
			t.Errorf("%s: renewed %v, another key %v, %v", when, due, s.Text() != was, err)
		}
	}
	renewed(false, "from the start")
	for range 10 {
		s.RenewWithin(time.Minute)
		now = now.Add(time.Second)
		renewed(false, "before the minute was over")
	}
	now = now.Add(50 * time.Second)
	renewed(true, "after a minute")
	renewed(false, "again")
	s.RenewWithin(time.Minute)
	s.RenewNow()
	renewed(true, "at once")
	s.RenewNow()
	if err := s.Rotate(); err != nil { // for another reason
		t.Fatal(err)
	}
	renewed(false, "after a rotation")
}
