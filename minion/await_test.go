package minion

import (
	"testing"
	"time"
)

// await waits until cond holds.
func await(t *testing.T, what string, cond func() bool) {
	t.Helper()
	deadline, tick := time.After(patience), time.NewTicker(2*time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
