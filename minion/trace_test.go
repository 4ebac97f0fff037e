package minion

import (
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/waiting"
)

// A minion that does not move to siblings (rehome: false, several masters, master_type:
// failover) has no trace of failover: no file, no request, no goroutine and so no timer, and it
// ignores orders to move. The same checks find each of these on a minion that does.
func TestSiblings_NoTraceWithout(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(cfg *config.Minion, other *channeltest.Master)
		traces bool
	}{
		"as it comes":   {func(*config.Minion, *channeltest.Master) {}, true},
		"rehome: false": {func(cfg *config.Minion, _ *channeltest.Master) { cfg.Rehome = false }, false},
		"several masters": {func(cfg *config.Minion, other *channeltest.Master) {
			cfg.Master = append(cfg.Master, other.Addr())
		}, false},
		"master_type: failover": {func(cfg *config.Minion, _ *channeltest.Master) { cfg.MasterType = "failover" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := startFamily(t, "a", "b")
			other := channeltest.Start(t, channeltest.Rules{})
			a := f.masters["a"]
			cfg := testConfig(t, a)
			cfg.RehomeAfter = 10 * time.Millisecond
			tt.change(cfg, other)
			d := start(t, cfg)
			a.AwaitSubscribers(t, 1)
			if tt.traces {
				f.knows(t, d, "a")
			}
			a.Publish(siblingsChanged(t))
			a.Publish(order("b", false))
			if tt.traces {
				f.masters["b"].AwaitSubscribers(t, 1)
			} else {
				for range 20 { // when it has answered these, it has handled everything before
					jid := newJID()
					a.Publish(channeltest.Job(jid, "m1", "test.ping"))
					a.AwaitReturn(t, jid)
				}
			}
			for what, seen := range map[string]bool{
				"a file":      hasFile(t, cfg, "home.p"),
				"a pin":       hasFile(t, cfg, "sibling."),
				"a question":  len(a.Seen(sibling.Command)) > 0,
				"a move":      len(f.masters["b"].Seen("_auth")) > 0,
				"a goroutine": moverRuns(),
			} {
				if seen != tt.traces {
					t.Errorf("%s: %v", what, seen)
				}
			}
			if err := d.end(); err != nil {
				t.Error(err)
			}
			waiting.Until(t, "all goroutines to end", func() bool { return !moverRuns() })
		})
	}
}

// hasFile reports whether any of the minion's files has a name with that prefix.
func hasFile(t *testing.T, cfg *config.Minion, prefix string) (has bool) {
	t.Helper()
	for _, dir := range []string{cfg.Cachedir, cfg.PkiDir, cfg.SockDir} {
		err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
			has = has || strings.HasPrefix(e.Name(), prefix)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	return has
}

// moverRuns reports whether any goroutine is in package failover.
func moverRuns() bool {
	buf := make([]byte, 16<<20)
	return strings.Contains(string(buf[:runtime.Stack(buf, true)]), "minion/failover.(*mover)")
}
