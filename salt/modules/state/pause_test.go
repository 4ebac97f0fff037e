package state

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/salt/external"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/value"
)

// cache is a minion with a cache folder.
type cache struct {
	busy
	dir string
}

func (c cache) Option(name string) any {
	if name == "cachedir" {
		return c.dir
	}
	return nil
}

func (c cache) Pillar() *value.Map          { return value.NewMap() }
func (c cache) Grains() *value.Map          { return value.NewMap() }
func (c cache) External() *external.Modules { return nil }
func (c cache) Log() *slog.Logger           { return slog.New(slog.DiscardHandler) }

const running = "20240101000000000001"

func (c cache) call(t *testing.T, fun string, args ...any) any {
	t.Helper()
	r := modules.Execute(t.Context(), c, modules.Invocation{Fun: fun, Args: args, JID: "20240101000000000009"})
	if r.Err != nil {
		t.Fatalf("%s: %v", fun, r.Err)
	}
	return r.Value
}

// TestPause pauses a run before a state until it is resumed or the duration ends, and ends
// one that is killed. It uses a test clock.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cache{busy{funs: []string{"state.apply"}}, t.TempDir()}
		wait := func(id string) (goOn bool, took time.Duration) {
			t.Helper()
			began := time.Now()
			goOn, err := paused(t.Context(), c, running, id)
			if err != nil {
				t.Fatal(err)
			}
			return goOn, time.Since(began)
		}
		if goOn, took := wait("vim"); !goOn || took != 0 {
			t.Errorf("nothing is set: %t after %v", goOn, took)
		}
		c.call(t, "state.pause", running, "vim", int64(20))
		if goOn, took := wait("emacs"); !goOn || took != 0 {
			t.Errorf("another state: %t after %v", goOn, took)
		}
		if goOn, took := wait("vim"); !goOn || took < 20*time.Second || took > 21*time.Second {
			t.Errorf("paused for 20 s: %t after %v", goOn, took)
		}
		c.call(t, "state.pause", running)
		go func() {
			time.Sleep(time.Minute)
			c.call(t, "state.resume", running)
		}()
		if goOn, took := wait("emacs"); !goOn || took < time.Minute {
			t.Errorf("paused until resumed: %t after %v", goOn, took)
		}
		c.call(t, "state.soft_kill", running, "vim")
		if goOn, _ := wait("vim"); goOn {
			t.Error("a run that is to end goes on")
		}
		got := c.call(t, "state.get_pauses").(*value.Map)
		if got.Len() != 1 || !got.Map(running).Map("vim").Bool("kill") {
			t.Errorf("state.get_pauses: %v", value.Plain(got))
		}
		c.funs = nil
		if got := c.call(t, "state.get_pauses").(*value.Map); got.Len() != 0 {
			t.Errorf("of a run that has ended: %v", value.Plain(got))
		}
		if entries, err := os.ReadDir(filepath.Join(c.dir, "state_pause")); err != nil || len(entries) != 0 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
	})
}

// TestPause_Hostile passes job ids that are paths, a file that is not a map, one that is
// too large, and an ended context.
func TestPause_Hostile(t *testing.T) {
	c := cache{busy{}, t.TempDir()}
	for _, jid := range []string{"../../etc/passwd", "", "2024/1", "1e5", strings.Repeat("1", 65)} {
		for _, fun := range []string{"state.pause", "state.resume", "state.soft_kill", "state.get_pauses"} {
			if jid == "" && fun == "state.get_pauses" {
				continue // a list without a job id
			}
			r := modules.Execute(t.Context(), c, modules.Invocation{Fun: fun, Args: []any{jid}})
			if r.Err == nil || !strings.Contains(r.Err.Error(), "is not a job id") {
				t.Errorf("%s %q: %v", fun, jid, r.Err)
			}
		}
	}
	path := filepath.Join(c.dir, "state_pause", running)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{"\xc1", strings.Repeat("\x80", maxPauseFile+1)} {
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if goOn, err := paused(t.Context(), c, running, "vim"); !goOn || err != nil {
			t.Errorf("a file that cannot be read holds the run up: %t, %v", goOn, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	c.call(t, "state.pause", running)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if goOn, err := paused(gone, c, running, "vim"); goOn || err == nil {
		t.Errorf("a run that was ended waits on: %t, %v", goOn, err)
	}
}
