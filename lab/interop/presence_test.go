//go:build saltpeer

package interop

import (
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// TestRealMinionsAreKnown has minions of Salt's at a master of ours: those that live are
// never named as missing, whatever happens to the master; one that is killed is named
// with the last return once it cannot be on its way back any more, and so is a key of
// nobody.
func TestRealMinionsAreKnown(t *testing.T) {
	withPeers(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		m := w.master(nil, "top")
		w.minion(p, "stays", m)
		dies := w.minion(p, "dies", m)
		m.accept("stays", "dies")
		m.joined(0, "minion", "stays", "dies")
		both := []string{"stays", "dies"}
		alive := func(ids ...string) bool {
			out := m.run(nil, "salt-run", "manage.alived").out
			for _, id := range both {
				want := false
				for _, have := range ids {
					want = want || have == id
				}
				if strings.Contains(out, id) != want {
					return false
				}
			}
			return true
		}
		waiting.Within(t, time.Minute, "both known by their connection", func() bool { return alive(both...) })
		pinged := func(what string) (all bool) {
			r := m.salt("*", "test.ping")
			for _, id := range both {
				if strings.Contains(r.text(), id+"\": \"Minion did not return") || !strings.Contains(r.out, id) {
					t.Errorf("%s: %s lives and is named\n%s", what, id, r.text())
				}
			}
			return r.code == 0
		}
		for range 5 {
			if !pinged("calm") {
				t.Error("a ping of two living minions fails")
			}
		}
		t.Run("our master is killed", func(t *testing.T) {
			m.crash()
			m.start()
			for begun := time.Now(); time.Since(begun) < 40*time.Second; {
				pinged("after the start")
			}
			waiting.Within(t, time.Minute, "both known again", func() bool { return alive(both...) })
		})
		t.Run("a minion is killed", func(t *testing.T) {
			dies.crash()
			waiting.Within(t, 5*time.Second, "it down", func() bool { return alive("stays") })
			time.Sleep(26 * time.Second) // presence_reconnect: this is what is judged
			r := m.salt("*", "test.ping")
			if !strings.Contains(r.text(), "Minion did not return. [Not connected]") || r.took > 5*time.Second {
				t.Errorf("named after %v\n%s", r.took, r.text())
			}
			dies.start()
			waiting.Within(t, time.Minute, "it back", func() bool { return alive(both...) })
			pinged("after its start")
		})
	})
}
