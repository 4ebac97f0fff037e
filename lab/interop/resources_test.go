//go:build saltpeer

package interop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// TestResourcesOfSalt3008 runs jobs on resources of a minion of Salt 3008 below a node of ours.
func TestResourcesOfSalt3008(t *testing.T) {
	with8(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		top := w.master(nil, "top", "order_masters: True")
		low := w.lower(nil, "node", top)
		for name, text := range map[string]string{
			"pillar/top.sls": "base: {'r': [r]}\n", "pillar/r.sls": "resources: {dummy: {resource_ids: [d-01, d-02]}}\n",
			"srv/one.sls": "it:\n  test.succeed_without_changes: []\n",
		} {
			w.must(os.WriteFile(filepath.Join(low.Dir, name), []byte(text), 0o600))
		}
		w.minion(p, "r", low)
		w.minion(nil, "m", top)
		top.accept("node", "m")
		low.accept("r")
		top.joined(0, "syndic", "node")
		top.joined(0, "minion", "m")
		low.joined(0, "minion", "r")

		on := func(args ...string) string {
			return top.run(nil, "salt", append([]string{"--out=json", "--static"}, args...)...).ids(t)
		}
		if !waiting.Became(60*time.Second, func() bool { return on("-C", "T@dummy", "test.ping") == "d-01 d-02" }) {
			t.Fatal("the resources are not registered")
		}
		if got := on("-C", "T@dummy:d-01", "test.ping"); got != "d-01" {
			t.Errorf("one resource: %q", got)
		}
		if got := on("*", "test.ping"); got != "d-01 d-02 m r" {
			t.Errorf("all: %q", got)
		}
		r := top.run(nil, "salt", "r*", "state.apply", "one")
		if !strings.Contains(r.text(), "Its resources return in its place") || !strings.Contains(r.out, "d-01:") || !strings.Contains(r.out, "d-02:") {
			t.Errorf("states: exit %d\n%s", r.code, r.text())
		}
	})
}

// TestSyndicOfSalt3008BelowOurNode has a syndic of Salt 3008 two tiers below our top: who has
// to answer there goes up in the event of the new job alone.
func TestSyndicOfSalt3008BelowOurNode(t *testing.T) {
	with8(t, func(t *testing.T, p *peer) {
		w := newWorld(t)
		top := w.master(nil, "top", "order_masters: True")
		low := w.lower(nil, "node", top, "order_masters: True")
		deep := w.lower(p, "deep", low)
		w.minion(p, "a", deep)
		top.accept("node")
		low.accept("deep")
		deep.accept("a")
		top.joined(0, "syndic", "node")
		low.joined(0, "syndic", "deep")
		deep.joined(0, "minion", "a")
		complete(t, top.salt("*", "test.ping"), 0, "a")
		complete(t, top.salt("-t", "3", "*", "test.sleep", "12"), 0, "a")
	})
}
