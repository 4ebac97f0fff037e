package master

import (
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/returners"
)

// managers is a master with a minion of Salt 3008 that manages d-01 and d-02. It registers them
// with recorded bytes.
type managers struct {
	*rig
	minion *minion
	events *recorder
	file   recorded3008
}

func newManagers(t *testing.T) *managers {
	m := &managers{rig: newRig(t), file: load3008(t)}
	m.start()
	m.minion = m.rig.minion("s8r", "minion", "minion")
	m.events = m.rig.events()
	for _, x := range m.file.Minion {
		if x.Cmd == "_register_resources" {
			if v := m.minion.must(replay(t, x.Plain)); v != true {
				t.Fatalf("answered by %v", v)
			}
		}
	}
	return m
}

// back replays the recorded return of a function, under the minion's own id or, if given, for a
// resource.
func (m *managers) back(jid, fun, resource string) {
	m.t.Helper()
	for _, x := range m.file.Minion {
		of, _ := x.Decoded["resource_id"].(string)
		if x.Cmd == "_return" && x.Decoded["fun"] == fun && of == resource {
			m.minion.must(replay(m.t, x.Plain, "jid", jid))
			return
		}
	}
	m.t.Fatalf("no return of %s for %q was recorded", fun, resource)
}

func (m *managers) publish(tgt any, kind, fun string) (jid string, minions []string) {
	m.t.Helper()
	load := testJob(tgt, kind)
	load.Set("fun", fun)
	reply := m.say(load).Map("load")
	jid = reply.String("jid")
	d := m.events.take("salt/job/" + jid + "/new")
	if !slices.Equal(d.Strings("minions"), reply.Strings("minions")) {
		m.t.Errorf("the event names %v, the reply %v", d.Strings("minions"), reply.Strings("minions"))
	}
	return jid, d.Strings("minions")
}

func TestResourcesAnswerForThemselves(t *testing.T) {
	m := newManagers(t)
	jid, who := m.publish("*", "glob", "test.ping")
	if want := []string{"d-01", "d-02", "s8r"}; !slices.Equal(who, want) {
		t.Errorf("expected of %v, want %v", who, want)
	}
	m.back(jid, "test.ping", "d-01")
	d := m.events.take("salt/job/" + jid + "/ret/d-01")
	if d.String("id") != "d-01" || d.Has("resource_id") || !d.Bool("return") {
		t.Errorf("event %v", plain(t, d))
	}
	m.back(jid, "test.ping", "d-02")
	m.events.take("salt/job/" + jid + "/ret/d-02")
	if a, ok := m.jobs.State(jid); !ok || !a.Open() || len(a.Waiting) != 1 || a.Waiting["s8r"] != "" {
		t.Errorf("account %+v", a)
	}
	m.back(jid, "test.ping", "")
	m.events.take("salt/job/" + jid + "/ret/s8r")
	if d := m.events.take("salt/job/" + jid + "/complete"); d.Int("returned") != 3 || d.Int("expected") != 3 {
		t.Errorf("complete %v", plain(t, d))
	}
	rets, err := m.store.Local().GetReturns(t.Context(), jid)
	var ids []string
	for _, r := range rets {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	if want := []string{"d-01", "d-02", "s8r"}; err != nil || !slices.Equal(ids, want) {
		t.Errorf("stored %v, %v", ids, err)
	}
}

// A minion of Salt 3008 returns only the results of its resources for a state run.
func TestStatesOfResources(t *testing.T) {
	m := newManagers(t)
	jid, _ := m.publish("*", "glob", "state.apply")
	m.back(jid, "state.apply", "d-01")
	m.back(jid, "state.apply", "d-02")
	d := m.events.take("salt/job/" + jid + "/complete")
	if d.Int("returned") != 2 || d.Map("absent").Map("s8r").String("reason") != engine.ResourcesReturn {
		t.Errorf("complete %v", plain(t, d))
	}
	jid, who := m.publish("s8r", "glob", "state.apply")
	if !slices.Equal(who, []string{"s8r"}) {
		t.Errorf("of the minion by its name %v are expected", who)
	}
	m.back(jid, "state.apply", "")
	if d := m.events.take("salt/job/" + jid + "/complete"); d.Int("returned") != 1 || d.Map("absent").Len() != 0 {
		t.Errorf("complete %v", plain(t, d))
	}
}

func TestTargetsOfResources(t *testing.T) {
	m := newManagers(t)
	m.rig.minion("web", "minion", "minion2")
	for _, c := range []struct {
		tgt  any
		kind string
		want string
	}{
		{"T@dummy", "compound", "d-01 d-02"},
		{"T@dummy:d-01", "compound", "d-01"},
		{"T@dummy and not T@dummy:d-01", "compound", "d-02"},
		{"T@dummy:d-02 or web", "compound", "d-02 s8r web"},
		{"G@dummy_grain_1:one", "compound", "d-01 d-02 s8r web"}, // the grains of these two are unknown
		{"d-01", "glob", "d-01"},
		{[]any{"d-02", "web"}, "list", "d-02 web"},
		{"dummy_grain_2:two", "grain", "d-01 d-02 s8r web"},
		{"web", "glob", "web"},
		{"s8*", "glob", "d-01 d-02 s8r"},
		{"w*", "glob", "web"},
		{"T@ssh", "compound", ""},
	} {
		load := testJob(c.tgt, c.kind)
		got := m.say(load).Map("load").Strings("minions")
		slices.Sort(got)
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%v (%s) means %q, want %q", c.tgt, c.kind, text, c.want)
		}
	}
}

// Salt believes a minion about every id. Here a resource belongs to the minion that registered it
// first, and an id with a key is not a resource.
func TestOthersResources(t *testing.T) {
	m := newManagers(t)
	thief := m.rig.minion("thief", "minion", "minion2")
	register := func(ids ...any) {
		thief.must(wire.NewMap("cmd", "_register_resources", "resources", wire.NewMap("dummy", ids), "resource_grains", wire.NewMap()))
	}
	trespasses := func() uint64 { return m.Stats().Trespasses[ownership.OfResource] }
	register("d-01", "s8r", "own")
	if n := trespasses(); n != 2 {
		t.Errorf("%d trespasses of a registration, want 2", n)
	}
	if got := m.resources.Manager("d-01") + " " + m.resources.Manager("own") + " " + m.resources.Manager("s8r"); got != "s8r thief " {
		t.Errorf("managers %q", got)
	}
	jid, _ := m.publish("*", "glob", "test.ping")
	for _, id := range []string{"d-01", "s8r", "nobody"} {
		thief.must(returnFor("thief", jid, true, id))
	}
	if n := trespasses(); n != 5 {
		t.Errorf("%d trespasses after returns, want 5", n)
	}
	rets, err := m.store.Local().GetReturns(t.Context(), jid)
	if err != nil || len(rets) != 0 {
		t.Errorf("stored %v, %v", rets, err)
	}
	// An unusable return of a resource is replaced by an error.
	deep := any(1)
	for range 60 {
		deep = []any{deep}
	}
	_, _ = m.minion.send(returnFor("s8r", jid, deep, "d-01"))
	m.events.take("salt/job/" + jid + "/ret/d-01")
	if a, _ := m.jobs.State(jid); a.Waiting["s8r"] != "" || !slices.Contains(waitingOf(a), "s8r") {
		t.Errorf("account %+v", a)
	}
	// A glob that matches neither the minion nor the resource is for neither, whatever 3008 runs.
	jid, _ = m.publish("th*", "glob", "test.ping")
	m.back(jid, "test.ping", "d-01")
	if rets, err := m.store.Local().GetReturns(t.Context(), jid); err != nil || len(rets) != 0 {
		t.Errorf("stored %v, %v", rets, err)
	}
}

func returnFor(id, jid string, value any, resource string) *wire.Map {
	m := returnOf(id, jid, value)
	m.Set("resource_id", resource)
	return m
}

func waitingOf(a engine.Account) (ids []string) {
	for id := range a.Waiting {
		ids = append(ids, id)
	}
	return ids
}

// Registrations survive a restart of the master and end with the key of the minion.
func TestResourcesAreKept(t *testing.T) {
	m := newManagers(t)
	m.restart()
	if got := m.resources.IDs("s8r"); !slices.Equal(got, []string{"d-01", "d-02"}) {
		t.Errorf("after a restart %v", got)
	}
	if _, err := m.keys.Delete("s8r"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the resources gone", func() bool { return len(m.resources.Managers()) == 0 })
}

// The resource runners show what a recorded minion of Salt 3008 has registered.
func TestResourceRunners(t *testing.T) {
	m := newManagers(t)
	list := m.run(m.events, "resource.list_grains", wire.NewMap()).Map("return")
	for _, name := range []string{"dummy:d-01", "dummy:d-02"} {
		if d := list.Map(name); d == nil || d.Int("grain_count") == 0 || len(d.List("grain_keys")) != int(d.Int("grain_count")) {
			t.Errorf("%s: %v", name, plain(t, list))
		}
	}
	shown := m.run(m.events, "resource.show_grains", wire.NewMap("type", "dummy", "id", "d-01")).Map("return")
	if shown.Len() != int(list.Map("dummy:d-01").Int("grain_count")) {
		t.Errorf("shown %v of %v", plain(t, shown), plain(t, list))
	}
}

// A node in the middle reports resources to the masters above like minions.
func TestResourcesBelowANode(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.opts.Parent = returners.DestAbove
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	events := r.events()
	jid := r.say(testJob("T@dummy:d-01", "compound")).Map("load").String("jid")
	node.hear()
	node.must(bulk("syndic/n1", event(jid, wire.NewMap("minions", []any{"d-01"}, "jid", jid,
		"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap())))))
	node.must(syndicReturn("n1", jid, "d-01"))
	if d := events.take("salt/job/" + jid + "/complete"); d.Int("returned") != 1 {
		t.Errorf("complete %v", plain(t, d))
	}
	// The glob matches the minion that manages the resource.
	jid = r.say(testJob("s8*", "glob")).Map("load").String("jid")
	node.hear()
	node.must(bulk("syndic/n1", event(jid, wire.NewMap("minions", []any{"d-01", "s8r"}, "jid", jid,
		"mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap())))))
	node.must(syndicReturn("n1", jid, "d-01", "s8r"))
	if d := events.take("salt/job/" + jid + "/complete"); d.Int("returned") != 2 {
		t.Errorf("complete %v", plain(t, d))
	}
}
