package session

import (
	"slices"
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

// A connection that is lost at once fires both of its events, in order.
func TestSetConnected_FiresEachChange(t *testing.T) {
	var fired []string
	s := &Session{up: newSubscription(), all: &Sessions{Config: Config{
		FireLocal: func(tag string, _ any) { fired = append(fired, tag) },
	}}}
	for range 3 {
		s.setConnected(true)
		s.setConnected(false)
	}
	want := slices.Repeat([]string{"__master_connected", "__master_disconnected"}, 3)
	if !slices.Equal(fired, want) {
		t.Errorf("fired %q", fired)
	}
}
