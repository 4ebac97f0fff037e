package master

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

// withPillar adds pillar_roots files to a rig.
func withPillar(files map[string]string) func(*config.Master) {
	return func(c *config.Master) {
		dir := filepath.Join(filepath.Dir(c.PkiDir), "pillar")
		for name, text := range files {
			path := filepath.Join(dir, name)
			if os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.WriteFile(path, []byte(text), 0o600) != nil {
				panic("no pillar could be written")
			}
		}
		c.PillarRoots = map[string]any{"base": []any{dir}}
	}
}

// pillarOf requests a minion's pillar over the wire.
func (r *rig) pillarOf(id string, grains *wire.Map, change ...func(*channel.PillarRequest)) *wire.Map {
	r.t.Helper()
	q := channel.PillarRequest{Grains: grains}
	for _, f := range change {
		f(&q)
	}
	raw, err := r.minion(id, "minion", "minion").Pillar(r.t.Context(), q)
	if err != nil {
		r.t.Fatal(err)
	}
	p, err := wire.DecodeMap(raw)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

var secretPillar = map[string]string{
	"top.sls": "{base: {'m1': [m1], 'm2': [m2], 'G@id:m2': [m2]}}",
	"m1.sls":  "secret: of m1\nid: {{ grains.id }}\n",
	"m2.sls":  "secret: of m2\nid: {{ grains.id }}\n",
}

// Attack: a minion requests another minion's pillar: with its id, its grains, and the field
// reserved for nodes (CVE-2013-4439, CVE-2022-22934 and similar).
func TestPillar_OfItselfAlone(t *testing.T) {
	r := newRig(t, ordersMasters, withPillar(secretPillar), func(c *config.Master) { c.MinionDataCache = true })
	r.start()
	p := r.pillarOf("m1", wire.NewMap("id", "m2", "host", "m2", "fqdn", "m2"))
	if p.String("secret") != "of m1" || p.String("id") != "m1" {
		t.Errorf("m1 gets %v", p)
	}
	if d := r.data.Get("m1"); d == nil || d.Grains.(*wire.Map).String("id") != "m1" || r.data.Get("m2") != nil {
		t.Errorf("the data cache has %v and %v", d, r.data.Get("m2"))
	}
	m := r.minion("m1", "minion", "minion")
	r.minion("m2", "minion", "syndic")
	load := wire.NewMap("cmd", "_pillar", "id", "m2", "grains", wire.NewMap("id", "m2"), "ver", "2", "nonce", wire.NewNonce(), "ts", time.Now().Unix())
	for _, proof := range []string{"minion", "syndic", ""} {
		if load.Delete("tok"); proof != "" {
			load.Set("tok", tokOf(t, proof))
		}
		if v := decoded(t, r.ask(r.forge("m1", load, nil))); v != server.BadLoad {
			t.Errorf("as m2: %v", v)
		}
	}
	if v, ok := m.must(wire.NewMap("cmd", "_pillar_below", "minion", "m2", "grains", wire.NewMap("id", "m2"))).(*wire.Map); !ok || v.Len() != 0 {
		t.Errorf("as a node: %v", v)
	}
}

// Attack: a node requests the pillar of a minion that is not below it.
func TestPillar_NodesAskForTheirs(t *testing.T) {
	r := newRig(t, withPillar(secretPillar), func(c *config.Master) { c.OrderMasters = true })
	r.accept("m2", "minion")
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	ask := func(id string) *wire.Map {
		v, _ := node.must(wire.NewMap("cmd", "_pillar_below", "minion", id, "grains", wire.NewMap("id", "m2"))).(*wire.Map)
		return v
	}
	if v := ask("m2"); v.Has("pillar") || !strings.Contains(v.String("refused"), "m2 is not one of its minions") {
		t.Errorf("a minion of the master itself: %v", v)
	}
	if v := ask("../x"); v.Has("pillar") {
		t.Errorf("no id: %v", v)
	}
	if v := ask("m1"); v.Map("pillar").String("secret") != "of m1" || v.Map("pillar").String("id") != "m1" {
		t.Errorf("its own: %v", v)
	}
}

// A request updates the data cache, including the override, and fires an event.
func TestPillar_DataCache(t *testing.T) {
	r := newRig(t, withPillar(secretPillar), func(c *config.Master) { c.MinionDataCache, c.MinionDataCacheEvents = true, true })
	r.start()
	events := r.events()
	r.pillarOf("m1", wire.NewMap("role", "web"), func(q *channel.PillarRequest) { q.Override = wire.NewMap("who", "cli") })
	if d := r.data.Get("m1"); d == nil || d.Pillar.(*wire.Map).String("who") != "cli" || d.Grains.(*wire.Map).String("role") != "web" {
		t.Errorf("%v", d)
	}
	eventually(t, "the event", func() bool { return strings.Contains(strings.Join(events.tags(), " "), "minion/refresh/m1") })
}

// Pillar templates call runners and wheel functions as in Salt, without events. A nested pillar
// does not wait for a second slot.
func TestPillar_Runners(t *testing.T) {
	r := newRig(t, withPillar(map[string]string{
		"top.sls": "{base: {'m1': [m1], 'm2': [m2], 'm3': [m3]}}",
		"m1.sls": `
runner: {{ salt['saltutil.runner']('test.arg', arg=[1], kwarg={'a': 2}, b=3) | json }}
places: {{ salt.saltutil.runner('test.arg', [1], {'a': 2}) | json }}
whole: {{ salt['saltutil.runner']('test.arg', arg=['x'], full_return=True) | json }}
wheel: {{ salt['saltutil.wheel']('key.list', 'accepted') | json }}
other: {{ salt['saltutil.runner']('pillar.show_pillar', minion='m2').value }}
`,
		"m2.sls": "value: of m2\n",
		"m3.sls": "again: {{ salt['saltutil.runner']('pillar.show_pillar', minion='m3') | json }}\n",
	}), func(c *config.Master) { c.PillarWorkers, c.PillarSafeRenderError = 1, false })
	r.start()
	bus := r.events()
	p := r.pillarOf("m1", wire.NewMap("id", "m1"))
	whole, wheel := p.Map("whole"), p.Map("wheel")
	for what, ok := range map[string]bool{
		"runner": len(p.Map("runner").List("args")) == 1 && p.Map("runner").Map("kwargs").Int("a") == 2 && p.Map("runner").Map("kwargs").Int("b") == 3,
		"places": len(p.Map("places").List("args")) == 1 && p.Map("places").Map("kwargs").Int("a") == 2,
		"whole":  whole.String("fun") == "runner.test.arg" && whole.Bool("success") && len(whole.Map("return").List("args")) == 1 && whole.String("jid") != "",
		"wheel":  wheel.String("fun") == "wheel.key.list" && wheel.Bool("success") && len(wheel.Map("return").List("minions")) == 1,
		"other":  p.String("other") == "of m2",
	} {
		if !ok {
			t.Errorf("%s: %#v", what, p)
		}
	}
	for _, tag := range bus.tags() {
		if strings.HasPrefix(tag, "salt/run/") || strings.HasPrefix(tag, "salt/wheel/") {
			t.Errorf("on the bus: %s", tag)
		}
	}
	p = r.pillarOf("m3", wire.NewMap("id", "m3"))
	if faults := p.Map("again").Map("again").Map("again").List("_errors"); len(faults) != 1 {
		t.Errorf("a pillar that asks for itself: %#v", p)
	}
}
