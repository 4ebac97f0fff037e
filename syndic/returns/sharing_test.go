package returns

import (
	"testing"
	"time"
)

// road is a route that has been up or down for some time.
type road struct {
	up    bool
	since time.Duration
}

func (r *road) Available() bool              { return r.up }
func (r *road) GoneFor(d time.Duration) bool { return !r.up && r.since >= d }
func (r *road) BackFor(d time.Duration) bool { return r.up && r.since >= d }

func TestSharing_FailsBackWhenStable(t *testing.T) {
	a, b := &road{false, time.Minute}, &road{true, time.Minute}
	ways := []*road{a, b}
	s := NewSharing(SharingOptions[*road]{After: 5 * time.Second, Back: 30 * time.Second})
	for _, c := range []struct {
		a, b road
		want *road
		why  string
	}{
		{road{false, time.Minute}, road{true, time.Minute}, b, "the first is away"},
		{road{true, 10 * time.Second}, road{true, time.Minute}, b, "the first is back for too short a time"},
		{road{true, 10 * time.Second}, road{false, time.Second}, b, "the second was away for a moment only"},
		{road{true, 31 * time.Second}, road{true, time.Second}, a, "the first has been back for long enough"},
	} {
		*a, *b = c.a, c.b
		if got := s.Prefer(ways); got != c.want {
			t.Errorf("%s: prefers %+v", c.why, got)
		}
	}
}
