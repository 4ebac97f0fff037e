package orchestrate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// crowd is a master with four minions, of which m3 fails everything but pings, and m5 is away. Each
// job takes a minute.
type crowd struct {
	*stage
	lost string // disconnects while working

	mu            sync.Mutex
	working, most int
}

func (c *crowd) Ask(ctx context.Context, q runners.Question) (runners.Answers, error) {
	ids, isList := q.Tgt.([]string)
	if !isList {
		ids = []string{"m1", "m2", "m3", "m4"}
	}
	c.note(fmt.Sprintf("%s %s %s %s", q.Fun, strings.Join(ids, ","), pyfmt.Repr(q.Args), pyfmt.Repr(q.Kwargs)))
	a := runners.Answers{JID: "j1", Returned: map[string]runners.Answer{}, Missing: map[string]jobevent.Absence{}}
	switch q.Fun {
	case "test.ping":
		for _, id := range ids {
			a.Returned[id] = runners.Answer{Value: true, OK: true}
		}
		a.Missing["m5"] = jobevent.Absence{}
		return a, nil
	case "sys.list_functions":
		for _, id := range ids {
			a.Returned[id] = runners.Answer{Value: []any{"state.sls", "state.apply"}, OK: true}
		}
		a.Returned["m4"] = runners.Answer{Value: []any{}, OK: true}
		return a, nil
	}
	c.mu.Lock()
	c.working += len(ids)
	c.most = max(c.most, c.working)
	c.mu.Unlock()
	time.Sleep(time.Minute)
	c.mu.Lock()
	c.working -= len(ids)
	c.mu.Unlock()
	for _, id := range ids {
		if id == c.lost {
			a.Missing[id] = jobevent.Absence{}
			continue
		}
		good := id != "m3"
		a.Returned[id] = runners.Answer{Value: value.NewMap("x_|-x_|-x_|-x", value.NewMap("result", good, "changes", value.NewMap())), OK: good}
	}
	return a, nil
}

// Minions work a few at a time; each that finishes makes room for the next.
func TestBatch(t *testing.T) {
	for _, c := range []struct {
		args string
		lost string
		most int
		took time.Duration
		want string // with the end of the run
		ran  []string
	}{
		{"{sls: x}, {batch: 2}", "", 2, 2 * time.Minute, "a False Run failed on minions: m3 |1", []string{"m1", "m2", "m3", "m4"}},
		{"{sls: x}, {batch: 25%}", "", 1, 4 * time.Minute, "a False Run failed on minions: m3 |1", []string{"m1", "m2", "m3", "m4"}},
		{"{sls: x}, {batch: 9}, {fail_minions: m3}", "", 4, time.Minute, "a True States ran successfully. |0", []string{"m1", "m2", "m3", "m4"}},
		{"{sls: x}, {batch: 1}, {failhard: true}", "", 1, 3 * time.Minute, "a False Run failed on minions: m3 |1", []string{"m1", "m2", "m3"}},
		{"{sls: x}, {batch: 1}, {failhard: true}", "m2", 1, 2 * time.Minute, "a False Run failed on minions: m2 |1", []string{"m1", "m2"}},
		{"{sls: x}, {batch: some}", "", 0, 0, "Invalid batch data sent: some|1", nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &crowd{stage: newStage("a: {salt.state: [{tgt: '*'}, " + c.args + "]}"), lost: c.lost}
			began := time.Now()
			lines, retcode := run(t, s, "state.orchestrate", "mods", "o")
			if got := time.Since(began); got != c.took || s.most != c.most {
				t.Errorf("%s: %d at once, %v", c.args, s.most, got)
			}
			text, code, _ := strings.Cut(c.want, "|")
			if got := strings.Join(lines, "; "); !strings.Contains(got, text) || fmt.Sprint(retcode) != code {
				t.Errorf("%s: %s, %v", c.args, got, retcode)
			}
			var ran []string
			for _, a := range s.asked {
				if id, ok := strings.CutPrefix(a, "state.sls "); ok {
					id, args, _ := strings.Cut(id, " ")
					ran = append(ran, id)
					if want := "['x'] {'queue': False, 'concurrent': False}"; args != want {
						t.Errorf("%s: %s receives %s", c.args, id, args)
					}
				}
			}
			if slices.Sort(ran); !slices.Equal(ran, c.ran) {
				t.Errorf("%s: %v ran, want %v", c.args, ran, c.ran)
			}
		})
	}
}

// subset selects some of the minions that have the function.
func TestSubset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &crowd{stage: newStage("a: {salt.state: [{tgt: '*'}, {sls: x}, {subset: 2}, {fail_minions: m3}]}")}
		seen := map[string]bool{}
		for range 50 {
			s.asked = nil
			if lines, retcode := run(t, s, "state.orchestrate", "mods", "o"); retcode != 0 || len(s.asked) != 2 {
				t.Fatalf("%q, %v, asked %q", lines, retcode, s.asked)
			}
			if s.asked[0] != "sys.list_functions m1,m2,m3,m4 ['state'] {}" {
				t.Errorf("asked first: %s", s.asked[0])
			}
			_, rest, _ := strings.Cut(s.asked[1], " ")
			seen[strings.Fields(rest)[0]] = true
		}
		if len(seen) != 3 || !seen["m1,m2"] || !seen["m1,m3"] || !seen["m2,m3"] {
			t.Errorf("%v", seen)
		}
		s.files["o.sls"] = "a: {salt.function: [{name: no.such}, {tgt: '*'}, {subset: 2}]}"
		if lines, retcode := run(t, s, "state.orchestrate", "mods", "o"); retcode != 1 || lines[0] != "a False No minions responded {}" {
			t.Errorf("%q, %v", lines, retcode)
		}
	})
}

// The option failhard is not sent to minions: it ends the batch and the orchestration.
func TestFailhard(t *testing.T) {
	s := newStage("a: {salt.state: [{tgt: '*'}, {sls: x}, {failhard: true}]}")
	if lines, retcode := run(t, s, "state.orchestrate", "mods", "o"); retcode != 0 || s.asked[0] != "state.sls * ['x'] {'queue': False, 'concurrent': False}" {
		t.Errorf("%q, %v, asked %q", lines, retcode, s.asked)
	}
	s = newStage("a: {salt.state: [{tgt: '*'}, {highstate: true}, {failhard: true}]}\nb: {test.nop: []}")
	if lines, _ := run(t, s, "state.orchestrate", "mods", "o"); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
}
