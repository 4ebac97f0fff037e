//go:build linux

package chaos

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// TestRounds_Cluster plays a round with the tops as one cluster.
func TestRounds_Cluster(t *testing.T) {
	play(t, "--network=auto", "--rounds=1", "--seed=38001", "--length=5s", "--cluster")
}

// In a cluster exactly one top is lost in each round, in every way; the tasks are those without.
func TestSchedule_Cluster(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(500) {
		s := NewSchedule(seed, 10*time.Second, Abilities{Disk: true, Clock: true, Cluster: true})
		lost, how := map[string]bool{}, ""
		for _, f := range s.Faults {
			if f.At+f.For > s.Length {
				t.Errorf("seed %d: %v outlasts the round", seed, f)
			}
			if !f.hitsTop() {
				continue
			}
			lost[f.Who] = true
			how += " " + f.What + " " + f.Peer
			if f.What == Partition && len(f.edges()) == 0 {
				t.Errorf("seed %d: %v hits no edge", seed, f)
			}
		}
		if len(lost) != 1 {
			t.Errorf("seed %d: lost %v: %v", seed, lost, s)
		}
		seen[how]++
	}
	if len(seen) != 7 { // killed, paused, and cuts, which name the peers
		t.Errorf("ways: %v", seen)
	}
}

func TestVerdict_Cluster(t *testing.T) {
	j := &job{Task: Task{Top: "t1"}, jid: "j"}
	own := func(at1, at2 string) map[string]map[string]map[string]bool {
		out := map[string]map[string]map[string]bool{}
		for id, has := range map[string]string{"t1": at1, "t2": at2} {
			out[id] = map[string]map[string]bool{"j": {}}
			for _, m := range strings.Fields(has) {
				out[id]["j"][m] = true
			}
		}
		return out
	}
	killed := Schedule{Faults: []Fault{{What: Kill, Who: "t1"}}}
	for name, c := range map[string]struct {
		judge func(*verdict)
		want  string
	}{
		"the same returns": {func(v *verdict) { v.sameReturns("j", own("a b", "b a")) }, ""},
		"a missing return": {func(v *verdict) { v.sameReturns("j", own("a b", "a")) }, `t2 those of "a"`},
		"no account": {func(v *verdict) {
			v.accountAtEach(j, map[string]map[string]bool{"t1": {"j": true}, "t2": {}}, Schedule{})
		}, "no account at t2"},
		"its top was killed": {func(v *verdict) { v.accountAtEach(j, map[string]map[string]bool{"t1": {"j": true}, "t2": {}}, killed) }, ""},
		"its top forgot it":  {func(v *verdict) { v.accountAtEach(j, map[string]map[string]bool{"t1": {}, "t2": {"j": true}}, killed) }, "no account at t1"},
	} {
		v := &verdict{}
		c.judge(v)
		if got := strings.Join(v.faults, "\n"); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
	}
}

func TestLookupText(t *testing.T) {
	at := func(ids ...any) *wire.Map {
		m := wire.NewMap()
		for _, id := range ids {
			m.Set(id, true)
		}
		return wire.NewMap("Result", m, "Missing", wire.NewMap("x", ids[0]), "Paths", wire.NewMap("a", ids[0]))
	}
	texts := []string{}
	for _, v := range []any{at("a", "b"), at("b", "a"), at("a")} {
		text, err := lookupText(v, nil)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if texts[0] != texts[1] || slices.Contains(texts[:2], texts[2]) {
		t.Errorf("%q", texts)
	}
}
