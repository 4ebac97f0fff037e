package master

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// give sends mine entries of a minion.
func (m *minion) give(kv ...any) any {
	m.t.Helper()
	return m.must(wire.NewMap("cmd", "_mine", "data", wire.NewMap(kv...), "clear", false))
}

// ask queries the mine.
func (m *minion) ask(tgt any, tgtType string, fun any) any {
	m.t.Helper()
	return plain(m.t, m.must(wire.NewMap("cmd", "_mine_get", "tgt", tgt, "tgt_type", tgtType, "fun", fun)))
}

// held returns an entry with restricted access.
func held(value, allow any, kind any) *wire.Map {
	return wire.NewMap("__data__", value, "__saltmine_acl__", 1, "allow_tgt", allow, "allow_tgt_type", kind)
}

type object = map[string]any

// A minion's query is answered in Salt's forms and matched against cached minion data. Restricted
// entries are shown only to allowed minions.
func TestMine(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.Nodegroups = map[string]any{"webs": "L@m1,m3"} }).start()
	m1, m2 := r.minion("m1", "minion", "minion"), r.minion("m2", "minion", "minion2")
	for id, role := range map[string]string{"m1": "web", "m2": "db"} {
		if err := r.data.Put(id, wire.NewMap("role", role), wire.NewMap("who", "devpeople")); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range []*minion{m1, m2} {
		if got := m.give("test.ping", true, "net", "hello"); got != true {
			t.Fatal(got)
		}
	}
	m2.give("named", held("abc", "m1", nil), "webs", held(1, "G@role:web", "compound"), "group", held(2, "webs", "nodegroup"),
		"own", held(3, "m2", "glob"), "nobody", held(4, "G@role:nosuch", "compound"), "broken", held(5, "x", "nokind"), "guess", held(6, "who:dev*", "pillar"))
	for name, c := range map[string]struct {
		tgt  any
		kind string
		fun  any
		want any
	}{
		"one name":               {"*", "glob", "test.ping", object{"m1": true, "m2": true}},
		"several":                {"*", "glob", "test.ping,net", object{"test.ping": object{"m1": true, "m2": true}, "net": object{"m1": "hello", "m2": "hello"}}},
		"a list of one":          {"m2", "glob", []any{"net"}, object{"net": object{"m2": "hello"}}},
		"list":                   {[]any{"m2", "m9"}, "list", "net", object{"m2": "hello"}},
		"pcre":                   {"m[2-9]", "pcre", "net", object{"m2": "hello"}},
		"grain":                  {"role:db", "grain", "net", object{"m2": "hello"}},
		"compound":               {"G@role:db or m1", "compound", "net", object{"m1": "hello", "m2": "hello"}},
		"nodegroup":              {"webs", "nodegroup", "net", object{"m1": "hello"}},
		"pillar":                 {"who:devpeople", "pillar", "net", object{"m1": "hello", "m2": "hello"}},
		"pillar by parts":        {"who:dev*", "pillar", "net", object{}},
		"pillar by expression":   {"who:dev.*", "pillar_pcre", "net", object{}},
		"parts in a compound":    {"I@who:dev*", "compound", "net", object{}},
		"expression in compound": {"J@who:dev.*", "compound", "net", object{}},
		"nothing there":          {"*", "glob", "no.such", object{}},
		"nobody":                 {"zz*", "glob", "net", object{}},
		"allowed by name":        {"*", "glob", "named", object{"m2": "abc"}},
		"allowed by grain":       {"*", "glob", "webs", object{"m2": float64(1)}},
		"allowed by group":       {"*", "glob", "group", object{"m2": float64(2)}},
		"of others":              {"*", "glob", "own", object{}},
		"of nobody":              {"*", "glob", "nobody", object{}},
		"not understood":         {"*", "glob", "broken", object{}},
		"held by pillar":         {"*", "glob", "guess", object{"m2": float64(6)}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, m1.ask(c.tgt, c.kind, c.fun)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got := plain(t, m1.must(wire.NewMap("cmd", "_mine_get", "tgt", "role:db", "expr_form", "grain", "fun", "net"))); !cmp.Equal(got, object{"m2": "hello"}) {
		t.Errorf("an old minion: %v", got)
	}
	if got := m2.ask("*", "glob", "own"); !cmp.Equal(got, object{"m2": float64(3)}) {
		t.Errorf("its own: %v", got)
	}
	r.restart()
	m1 = r.minion("m1", "minion", "minion")
	if got := m1.ask("m2", "glob", "named"); !cmp.Equal(got, object{"m2": "abc"}) {
		t.Errorf("after a start: %v", got)
	}
	b, err := os.ReadFile(filepath.Join(r.cfg.Cachedir, "minions", "m1", "mine.p"))
	if want, _ := wire.EncodeBus(wire.NewMap("net", "hello", "test.ping", true)); err != nil || len(b) != len(want) {
		t.Errorf("the file holds %q, %v", b, err)
	}
}

// A minion stores, deletes and flushes only its own entries, whatever id it sends.
func TestMine_OfOthers(t *testing.T) {
	r := newRig(t).start()
	m1, m2 := r.minion("m1", "minion", "minion"), r.minion("m2", "minion", "minion2")
	m1.give("net", "one")
	for _, load := range []*wire.Map{
		wire.NewMap("cmd", "_mine", "id", "m1", "data", wire.NewMap("net", "forged")),
		wire.NewMap("cmd", "_mine_delete", "id", "m1", "fun", "net"),
		wire.NewMap("cmd", "_mine_flush", "id", "m1"),
	} {
		_, _ = m2.send(load) // refused, or applied to its own entries
		if got := m1.ask("m1", "glob", "net"); !cmp.Equal(got, object{"m1": "one"}) {
			t.Fatalf("after %s: %v", load.String("cmd"), got)
		}
	}
	if got := m2.must(wire.NewMap("cmd", "_mine_delete", "fun", "net")); got != false {
		t.Errorf("a minion without a mine deletes: %v", got)
	}
	if got := m1.must(wire.NewMap("cmd", "_mine_delete", "fun", "no.such")); got != true {
		t.Errorf("what is not there: %v", got)
	}
	for _, want := range []bool{true, false} {
		if got := m1.must(wire.NewMap("cmd", "_mine_flush")); got != want {
			t.Errorf("flush: %v", got)
		}
	}
	if got := m1.ask("*", "glob", "net"); !cmp.Equal(got, object{}) {
		t.Errorf("after a flush: %v", got)
	}
}

// A mine beyond mine_max_size is refused with an error, as a whole, and the old entries stay.
func TestMine_TooLarge(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.MineMaxSize = 4096 }).start()
	events := r.events()
	m := r.minion("m1", "minion", "minion")
	m.give("net", "one")
	for _, n := range []int{4096, 1 << 20} {
		got, _ := m.give("big", strings.Repeat("x", n)).(string)
		if !strings.Contains(got, "mine_max_size") || !strings.Contains(got, "m1") {
			t.Errorf("the answer: %q", got)
		}
	}
	if why := events.take("topology/refused").String("reason"); !strings.Contains(why, "mine_max_size") {
		t.Errorf("reason: %s", why)
	}
	// Sending the entries one by one does not exceed the limit either.
	for _, name := range []string{"a", "b", "c"} {
		m.give(name, strings.Repeat("x", 1500))
	}
	if got, _ := m.ask("m1", "glob", []any{"net", "a", "b", "c", "big"}).(object); len(got) != 3 {
		t.Errorf("kept are %d", len(got))
	}
	if got := m.must(wire.NewMap("cmd", "_mine", "data", wire.NewMap("c", strings.Repeat("x", 1500)), "clear", true)); got != true {
		t.Errorf("in the place of all: %v", got)
	}
	if got := m.must(wire.NewMap("cmd", "_mine", "data", "no map")); got == true {
		t.Error("data that is not a map was accepted")
	}
}

// Without minion_data_cache nothing is stored and minions receive success, unless
// enforce_mine_cache is set.
func TestMine_NotKept(t *testing.T) {
	for _, enforce := range []bool{false, true} {
		r := newRig(t, func(c *config.Master) { c.MinionDataCache, c.EnforceMineCache = false, enforce }).start()
		m := r.minion("m1", "minion", "minion")
		want := object{}
		if enforce {
			want = object{"m1": "one"}
		}
		if got := m.give("net", "one"); got != true {
			t.Errorf("enforced %v: %v", enforce, got)
		}
		if got := m.ask("*", "glob", "net"); !cmp.Equal(got, want) {
			t.Errorf("enforced %v: %v", enforce, got)
		}
		r.stop()
	}
}

// The option mine_get limits queries: patterns match whole ids and functions.
func TestMine_RulesOfTheMaster(t *testing.T) {
	r := newRig(t, func(c *config.Master) {
		c.MineGet = map[string]any{"m": []any{"net"}, "m1": []any{"net.*", "a|b"}, "m2": "net"}
	}).start()
	m1, m2 := r.minion("m1", "minion", "minion"), r.minion("m2", "minion", "minion2")
	m1.give("net", 1, "network", 2, "a", 3, "ax", 4, "test", 5)
	got, _ := m1.ask("*", "glob", "net,network,a,ax,test").(object)
	if len(got) != 3 || got["ax"] != nil || got["test"] != nil {
		t.Errorf("m1 sees %v", got)
	}
	if got := m1.ask("*", "glob", "test"); !cmp.Equal(got, object{}) {
		t.Errorf("m1 sees %v", got)
	}
	if got := m2.ask("*", "glob", "net"); !cmp.Equal(got, object{}) { // its rule is not a list, and that of m applies to m only
		t.Errorf("m2 sees %v", got)
	}
}

// Deleting a key deletes the minion's mine; a new minion with that id starts empty.
func TestMine_GoesWithTheKey(t *testing.T) {
	r := newRig(t).start()
	m1, m2 := r.minion("m1", "minion", "minion"), r.minion("m2", "minion", "minion2")
	m1.give("net", "one")
	if err := os.Remove(filepath.Join(r.cfg.PkiDir, "minions", "m1")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the mine gone", func() bool {
		got, _ := m2.ask("*", "glob", "net").(object)
		return len(got) == 0
	})
	r.accept("m1", "changed_minion")
	eventually(t, "the new key", func() bool { return r.keys.Accepted("m1") })
	if got := m2.ask("*", "glob", "net"); !cmp.Equal(got, object{}) {
		t.Errorf("%v", got)
	}
}

// A damaged file is logged, and only queries for its minion fail.
func TestMine_SpoiltFile(t *testing.T) {
	r := newRig(t)
	r.file("cache/minions/m1/mine.p", string(bytes.Repeat([]byte{0xc1}, 9)), 0o600)
	r.start()
	m1 := r.minion("m1", "minion", "minion")
	if got, _ := m1.ask("m1", "glob", "net").(string); !strings.Contains(got, "mine.p") {
		t.Errorf("%q", got)
	}
	if got := m1.must(wire.NewMap("cmd", "_mine", "data", wire.NewMap("net", 1), "clear", true)); got != true {
		t.Errorf("%v", got)
	}
	if got := m1.ask("m1", "glob", "net"); !cmp.Equal(got, object{"m1": float64(1)}) {
		t.Errorf("%v", got)
	}
}
