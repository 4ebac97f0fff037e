package minion

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/waiting"
)

// A minion that does not move to siblings (rehome: false, several masters, master_type: failover)
// has no trace of it: no file, no request, no goroutine and so no timer, and it obeys no order to
// move. The same looks at one that does find each of these.
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
			a.Publish(news(t))
			a.Publish(order("b", false))
			if tt.traces {
				f.masters["b"].AwaitSubscribers(t, 1)
			} else {
				for range 20 { // what it was told is behind it when it has answered these
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

// hasFile tells whether any of the minion's files has a name that begins so.
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

// moverRuns tells whether any goroutine is in package failover.
func moverRuns() bool {
	buf := make([]byte, 16<<20)
	return strings.Contains(string(buf[:runtime.Stack(buf, true)]), "minion/failover.(*mover)")
}

// One file of the minion knows that there are siblings: siblings.go, which imports package
// failover. Neither the rest nor a package below knows what masters say of them.
func TestSiblings_KnownInOnePlace(t *testing.T) {
	found := false
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || filepath.Dir(path) == "failover" {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			switch {
			case err != nil:
				return err
			case strings.HasSuffix(name, "/minion/failover") && path == "siblings.go":
				found = true
			case strings.HasSuffix(name, "/minion/failover"), strings.HasSuffix(name, "/internal/sibling"):
				t.Errorf("%s imports %s", path, name)
			}
		}
		for _, word := range []string{"guest", "voucher"} {
			if path != "siblings.go" && bytes.Contains(src, []byte(word)) {
				t.Errorf("%s has the word %q", path, word)
			}
		}
		return nil
	})
	if err != nil || !found {
		t.Errorf("siblings.go uses package failover: %v, %v", found, err)
	}
}
