//go:build saltpeer

package interop

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/waiting"
)

// highstates are the runs of a minion, in their order, each from where the one before left it.
var highstates = []struct{ name, args string }{
	{"test", "state.highstate test=True"},
	{"first", "state.highstate"},
	{"second", "state.highstate"},
	{"apply", "state.apply nginx,users.ssh pillar={\"nginx\":{\"sites\":{\"blog\":{\"listen\":8181}}}}"},
	{"test after", "state.apply test=True"},
}

// highstateTime bounds a run of all states on a busy machine.
const highstateTime = 8 * time.Minute

// returned is what the minions under one kind of master gave: by minion kind, then run.
type returned struct {
	under string
	by    map[string]map[string]map[string]any
}

// TestFormulas gives three formulas in public style to minions of Salt's and ours, each in a
// root of its own, from masters of Salt's, from one of ours and from the top of three tiers of
// ours, and compares what they return. 11 combinations, 5 runs
// each.
func TestFormulas(t *testing.T) {
	needBoxes(t)
	debs := t.TempDir()
	buildDebs(t, debs)
	var (
		mu  sync.Mutex
		all []returned
	)
	add := func(r returned) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, r)
	}
	patient := []string{"timeout: 60", "gather_job_timeout: 60"} // minions that install packages answer late
	t.Run("run", func(t *testing.T) {
		for _, m := range append(slices.Clone(installed), nil) {
			t.Run("under "+kindOf(m), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				top := w.master(m, "top", patient...)
				layFormulas(t, top)
				add(runFormulas(t, kindOf(m), debs, top, top))
			})
		}
		t.Run("three tiers below ours", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			top := w.master(nil, "top", append([]string{"order_masters: True"}, patient...)...)
			layFormulas(t, top)
			upstream := append([]string{"order_masters: True", "fileserver_backend: [upstream]", "pillar_upstream: True"}, patient...)
			mid := w.lower(nil, "mid", top, upstream...)
			low := w.lower(nil, "low", mid, upstream...)
			top.accept("mid")
			mid.accept("low")
			top.joined(0, "syndic", "mid")
			mid.joined(0, "syndic", "low")
			add(runFormulas(t, "ours, three tiers", debs, top, low))
		})
	})
	if t.Failed() {
		return // what is there cannot be compared
	}
	slices.SortFunc(all, func(a, b returned) int { return strings.Compare(b.under, a.under) }) // a peer first
	compareReturns(t, all)
}

func kindOf(p *peer) string {
	if p == nil {
		return "ours"
	}
	return p.Name
}

// layFormulas lays the formulas and their pillar where a master serves them from.
func layFormulas(t *testing.T, m *node) {
	t.Helper()
	for from, to := range map[string]string{"salt": "srv", "pillar": "pillar"} {
		if err := os.CopyFS(filepath.Join(m.Dir, to), os.DirFS(filepath.Join("testdata", "formulas", from))); err != nil {
			t.Fatal(err)
		}
	}
}

// leafID is the id of a minion; all have the same length, so that texts break alike.
func leafID(kind string) string {
	return map[string]string{"peer": "leaf-peer2", "peer3": "leaf-peer3", "ours": "leaf-owned"}[kind]
}

// runFormulas joins a minion of each kind to the master near and runs the commands at top.
func runFormulas(t *testing.T, under, debs string, top, near *node) returned {
	t.Helper()
	out := returned{under, map[string]map[string]map[string]any{}}
	kinds := minionsUnder(near.Salt)
	for _, p := range kinds {
		id := leafID(kindOf(p))
		top.w.boxedMinion(p, id, near, debs)
		near.accept(id)
	}
	for _, p := range kinds {
		near.joined(0, "minion", leafID(kindOf(p)))
		out.by[kindOf(p)] = map[string]map[string]any{}
	}
	waiting.Within(t, time.Minute, "the minions at the top", func() bool {
		return len(top.salt("leaf*", "test.ping").json(t)) == len(kinds)
	})
	for _, run := range highstates {
		got := top.saltWithin(highstateTime, append([]string{"-t", "240", "leaf*"}, strings.Fields(run.args)...)...).firstOfEach(t)
		for _, p := range kinds {
			states, ok := got[leafID(kindOf(p))].(map[string]any)
			if !ok {
				t.Fatalf("%s under %s, %s: no states but %s", kindOf(p), under, run.name, short(got[leafID(kindOf(p))]))
			}
			out.by[kindOf(p)][run.name] = plain(states, leafID(kindOf(p)))
			keepReturn(t, fmt.Sprintf("%s,%s,%s", under, kindOf(p), run.name), states)
		}
	}
	return out
}

// minionsUnder are the minions that a master can have: one of Salt's of protocol 3 cannot sign
// in at a master of Salt's of protocol 2 (its answer has no session), nor does Salt promise it.
func minionsUnder(master *peer) []*peer {
	return slices.DeleteFunc(append(slices.Clone(installed), nil), func(p *peer) bool {
		return master != nil && master.Name == "peer" && p != nil && p.Name == "peer3"
	})
}

// firstOfEach returns the first JSON document of each minion: Salt's salt prints another one for
// each failed state after that of the return ("Error: cmd.run").
func (r result) firstOfEach(t *testing.T) map[string]any {
	t.Helper()
	all := map[string]any{}
	for d := json.NewDecoder(strings.NewReader(r.out)); d.More(); {
		var m map[string]any
		if err := d.Decode(&m); err != nil {
			t.Fatalf("%s: exit %d, no JSON: %v\n%s\n%s", r.line, r.code, err, r.out, r.errOut)
		}
		for k, v := range m {
			if _, ok := all[k]; !ok {
				all[k] = v
			}
		}
	}
	return all
}

// saltWithin is salt for commands that take longer than most.
func (n *node) saltWithin(limit time.Duration, args ...string) result {
	n.w.t.Helper()
	argv := n.Argv(n.Salt, "salt", append([]string{"--out=json"}, args...)...)
	return commandWithin(n.w.t, limit, exec.Command(argv[0], argv[1:]...))
}
