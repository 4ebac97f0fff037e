package link

import (
	"testing"
	"time"
)

// A link is available while it is up and its last request succeeded. How long it has been so
// decides which parent is preferred.
func TestAvailable(t *testing.T) {
	ago := time.Now().Add(-10 * time.Second)
	for _, c := range []struct {
		up, resting           bool
		available, gone, back bool // gone and back for 5 s
	}{
		{up: true, available: true, back: true},
		{up: true, resting: true, gone: true},
		{up: false, gone: true},
		{up: false, resting: true, gone: true},
	} {
		l := &Link{up: c.up, resting: c.resting, since: ago}
		if l.Available() != c.available || l.GoneFor(5*time.Second) != c.gone || l.BackFor(5*time.Second) != c.back {
			t.Errorf("up %t, resting %t: available %t, gone %t, back %t", c.up, c.resting, l.Available(), l.GoneFor(5*time.Second), l.BackFor(5*time.Second))
		}
		if l.GoneFor(time.Minute) || l.BackFor(time.Minute) {
			t.Errorf("up %t, resting %t: for a minute already", c.up, c.resting)
		}
	}
}
