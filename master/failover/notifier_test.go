package failover

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// The first change is sent at once. Later ones are sent together, after the peers notified
// before have had time to ask.
func TestNotifier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var sent []time.Duration
		within := 2 * time.Second
		h := newNotifier(func() time.Duration {
			sent = append(sent, time.Since(start))
			return within
		})
		go h.Run(t.Context())
		for range 10 {
			h.Trigger()
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if want := []time.Duration{0, 2 * time.Second}; !slices.Equal(sent, want) {
			t.Errorf("sent at %v, want %v", sent, want)
		}
		sent, within, start = nil, 0, time.Now()
		h.Trigger()
		synctest.Wait()
		h.Trigger()
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := []time.Duration{0, notifyPause}; !slices.Equal(sent, want) {
			t.Errorf("sent at %v, want %v", sent, want)
		}
		(*notifier)(nil).Trigger() // does nothing
	})
}
