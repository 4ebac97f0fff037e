package session

import (
	"testing"
	"testing/synctest"
	"time"
)

// A master that never accepts an announcement still gets the returns.
func TestAwaitAnnounced_IsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		(&Session{announced: make(chan struct{}), o: Options{AnnounceFirst: time.Minute}}).awaitAnnounced(t.Context())
		if took := time.Since(start); took != time.Minute {
			t.Errorf("waited %v", took)
		}
	})
}
