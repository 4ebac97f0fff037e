package engine

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A job is stale when others answered long ago, when a due sign of life is missing, or after a day
// without an answer; never after it has closed.
func TestStale(t *testing.T) {
	open := func(t *testing.T, minions ...Minion) *ledger {
		l := newLedger(AccountConfig{AskConnected: 5 * time.Minute, FindJobWindow: 1000})
		t.Cleanup(l.close)
		if err := l.openJob(Job{JID: "1", Fun: "state.apply", Minions: minions}); err != nil {
			t.Fatal(err)
		}
		return l
	}
	stale := func(t *testing.T, l *ledger, want string) {
		t.Helper()
		got := ""
		if js, total := l.Stale(10); total != len(js) {
			t.Errorf("%d of %d", len(js), total)
		} else if len(js) > 0 {
			got = strings.Join([]string{js[0].JID, js[0].Fun, js[0].For}, " ")
		}
		if got != want {
			t.Errorf("stale after %s: %q, want %q", time.Since(l.jobs["1"].opened), got, want)
		}
	}
	works := func(l *ledger, d time.Duration) { // time passes; m answers every find_job
		for range int(d / time.Minute) {
			time.Sleep(time.Minute)
			l.found("1", "m", true)
		}
	}
	t.Run("others have answered", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := open(t, Minion{ID: "m", Live: Up}, Minion{ID: "n", Live: Up})
			time.Sleep(90 * time.Second)
			l.returned("1", "n", "", true)
			works(l, 10*time.Minute)
			stale(t, l, "")
			works(l, 4*time.Minute)
			stale(t, l, "1 state.apply m")
			l.returned("1", "m", "", true)
			stale(t, l, "")
			l.close()
		})
	})
	t.Run("a long job", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := open(t, Minion{ID: "m", Live: Up})
			works(l, 23*time.Hour)
			stale(t, l, "")
			works(l, 2*time.Hour)
			stale(t, l, "1 state.apply m")
			l.close()
		})
	})
	t.Run("no sign of life", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := open(t, Minion{ID: "m", Live: Up})
			l.mu.Lock()
			l.jobs["1"].entries["m"].due = time.Time{} // simulates a bug: no deadline
			l.mu.Unlock()
			time.Sleep(14 * time.Minute)
			stale(t, l, "")
			time.Sleep(2 * time.Minute)
			stale(t, l, "1 state.apply m")
			l.close()
		})
	})
}
