package master

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
)

// A minion sees the entries of other branches that it may see. Targets match the grains known to
// their masters; access is checked with the grains known to its own master.
func TestMine_AcrossTheTree(t *testing.T) {
	top, a, b := tree(t)
	t1 := top.minion("t1", "minion", "minion2")
	a1, a2 := a.minion("a1", "minion", "minion"), a.minion("a2", "minion", "minion2")
	b1 := b.minion("b1", "minion", "changed_minion")
	for r, ids := range map[*rig][]string{a.rig: {"a1"}, b.rig: {"b1"}} {
		for _, id := range ids {
			if err := r.data.Put(id, wire.NewMap("role", "web"), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	t1.give("net", "t")
	a1.give("net", "a")
	b1.give("net", "b", "one", held(1, "a1", "glob"), "web", held(2, "G@role:web", "compound"), "db", held(3, "G@role:db", "compound"), "other", held(4, "t1", "glob"))
	for name, c := range map[string]struct {
		who  *minion
		tgt  string
		kind string
		fun  string
		want any
	}{
		"all":                {a1, "*", "glob", "net", object{"a1": "a", "b1": "b", "t1": "t"}},
		"from the top":       {t1, "*", "glob", "net", object{"a1": "a", "b1": "b", "t1": "t"}},
		"by grains there":    {a1, "role:web", "grain", "net", object{"a1": "a", "b1": "b"}},
		"for it by name":     {a1, "*", "glob", "one", object{"b1": float64(1)}},
		"not for its fellow": {a2, "*", "glob", "one", object{}},
		"for it by grains":   {a1, "*", "glob", "web", object{"b1": float64(2)}},
		"not for others":     {a2, "*", "glob", "web", object{}},
		"not by its grains":  {a1, "*", "glob", "db", object{}},
		"for the top's":      {t1, "*", "glob", "other", object{"b1": float64(4)}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.who.ask(c.tgt, c.kind, c.fun)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A node receives what some minion below it may see, and no more: not entries for minions of other
// nodes, nor for minions that it only claims.
func TestMine_WhatANodeReceives(t *testing.T) {
	top, a, b := tree(t)
	b1 := b.minion("b1", "minion", "changed_minion")
	top.minion("t1", "minion", "minion2")
	b1.give("open", 0, "named", held(1, "a2", "glob"), "grains", held(2, "G@x:y", "compound"), "others", held(3, "b2", "glob"), "tops", held(4, "t*", "glob"))
	got, _ := plain(t, a.at.must(wire.NewMap("cmd", "_mine_tree", "tgt", "*", "tgt_type", "glob", "fun", []any{"open", "named", "grains", "others", "tops"}, "after", ""))).(object)
	minions, _ := got["minions"].(object)
	b1s, _ := minions["b1"].(object)
	if len(minions) != 1 || len(b1s) != 3 || b1s["others"] != nil || b1s["tops"] != nil {
		t.Errorf("the node receives %v", got)
	}
	// A minion is not a node.
	stranger := top.minion("m9", "minion", "minion")
	if got := plain(t, stranger.must(wire.NewMap("cmd", "_mine_tree", "tgt", "*", "tgt_type", "glob", "fun", []any{"open"}))); !cmp.Equal(got, object{}) {
		t.Errorf("a minion receives %v", got)
	}
}

// The last answer of a node that is away is used instead, also after a restart of the master.
// Concurrent equal queries share one.
func TestMine_NodeAway(t *testing.T) {
	top, a, b := tree(t)
	t1 := top.minion("t1", "minion", "minion2")
	a1, b1 := a.minion("a1", "minion", "minion"), b.minion("b1", "minion", "changed_minion")
	b1.give("net", "b")
	want := object{"b1": "b"}
	for range 20 {
		if got := a1.ask("b*", "glob", "net"); !cmp.Equal(got, want) {
			t.Fatalf("%v", got)
		}
	}
	if n := a.asks.Load(); n != 1 {
		t.Errorf("%d questions went up", n)
	}
	if got := t1.ask("b*", "glob", "net"); !cmp.Equal(got, want) {
		t.Fatalf("%v", got)
	}
	b.at.mute()
	b.away.Store(true)
	top.restart()
	t1 = top.minion("t1", "minion", "minion2")
	if got := t1.ask("b*", "glob", "net"); !cmp.Equal(got, want) {
		t.Errorf("the node is away: %v", got)
	}
	// The branch queries again when its cached answer is old and its parent is away.
	a.away.Store(true)
	eventually(t, "asked again", func() bool {
		got := a1.ask("b*", "glob", "net")
		if !cmp.Equal(got, want) {
			t.Fatalf("the master above is away: %v", got)
		}
		return a.asks.Load() > 1
	})
}

// The operator of a master sees the mine of all masters below, regardless of access rules.
func TestMine_Runners(t *testing.T) {
	top, _, b := tree(t)
	b1 := b.minion("b1", "minion", "changed_minion")
	b1.give("one", held(1, "b1", "glob"), "two", 2)
	run := func(fun string, args ...any) any {
		t.Helper()
		v, err := runRunner(t, top, fun, args...)
		if err != nil {
			t.Fatal(err)
		}
		return plain(t, v)
	}
	if got := run("mine.get", "*", "one"); !cmp.Equal(got, object{"b1": float64(1)}) {
		t.Errorf("mine.get: %v", got)
	}
	if got, _ := run("cache.mine", "*").(object); len(got) != 1 || !strings.Contains(strings.Join(keysOf(got["b1"]), " "), "one two") {
		t.Errorf("cache.mine: %v", got)
	}
	if got := run("cache.list", "minions/b1"); !cmp.Equal(got, []any{"mine"}) {
		t.Errorf("cache.list: %v", got)
	}
	run("cache.clear_mine_func", "*", "glob", "one")
	if got := run("mine.get", "*", "one,two"); !cmp.Equal(got, object{"two": object{"b1": float64(2)}}) {
		t.Errorf("after clear_mine_func: %v", got)
	}
	run("cache.clear_mine", "b1")
	if got := run("cache.fetch", "minions/b1", "mine"); !cmp.Equal(got, object{}) {
		t.Errorf("after clear_mine: %v", got)
	}
}

func keysOf(v any) (out []string) {
	m, _ := v.(object)
	for _, k := range []string{"one", "two"} {
		if _, ok := m[k]; ok {
			out = append(out, k)
		}
	}
	return out
}
