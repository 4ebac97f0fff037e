package failover

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// The first change is told at once, many soon after it are told as one, and no sooner
// than those who were told before have asked.
func TestNotifier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var told []time.Duration
		within := 2 * time.Second
		h := newNotifier(func() time.Duration {
			told = append(told, time.Since(start))
			return within
		})
		go h.Run(t.Context())
		for range 10 {
			h.Ring()
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if want := []time.Duration{0, 2 * time.Second}; !slices.Equal(told, want) {
			t.Errorf("told at %v, want %v", told, want)
		}
		told, within, start = nil, 0, time.Now()
		h.Ring()
		synctest.Wait()
		h.Ring()
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := []time.Duration{0, newsPause}; !slices.Equal(told, want) {
			t.Errorf("told at %v, want %v", told, want)
		}
		(*notifier)(nil).Ring() // tells nobody
	})
}
