package master

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/runners"
)

// runRunner runs a runner as the master's user does.
func runRunner(t *testing.T, r *rig, fun string, args ...any) (any, error) {
	t.Helper()
	return runners.Run(t.Context(), &runners.Call{Bound: runners.Bind(runners.Request{Fun: fun, Args: args, Kwargs: wire.NewMap()}), Env: r.env.As("root")})
}

// pub returns a minion's publish.publish request.
func pub(tgt, fun string, arg ...any) *wire.Map {
	return wire.NewMap("cmd", "minion_pub", "fun", fun, "arg", append([]any{}, arg...), "tgt", tgt, "tgt_type", "glob", "ret", "", "tmo", 5, "form", "clean", "no_parse", []any{})
}

func withPeer(rules map[string]any) func(*config.Master) {
	return func(c *config.Master) { c.Peer = rules }
}

// A minion may run what peer allows on others: the job names the requester, its arguments are
// parsed as YAML, and the results reach that minion only.
func TestPeer(t *testing.T) {
	r := newRig(t, withPeer(map[string]any{"m1": []any{"test.*"}})).start()
	events := r.events()
	m1, m2 := r.minion("m1", "minion", "minion"), r.minion("m2", "minion", "minion2").listen().announce()
	got, _ := plain(t, m1.must(pub("m2", "test.arg", "1", "k=[a]", "text"))).(object)
	jid, _ := got["jid"].(string)
	if !cmp.Equal(got["minions"], []any{"m2"}) || jid == "" {
		t.Fatalf("%v", got)
	}
	p := m2.hear()
	arg, _ := wire.Decode(p.Arg)
	if want := []any{float64(1), "text", object{"__kwarg__": true, "k": []any{"a"}}}; p.ID != "m1" || p.User != "root" || !cmp.Equal(plain(t, arg), any(want)) {
		t.Errorf("published for %q by %q: %v", p.ID, p.User, plain(t, arg))
	}
	if got := plain(t, m1.must(wire.NewMap("cmd", "pub_ret", "jid", jid))); !cmp.Equal(got, object{}) {
		t.Errorf("before the return: %v", got)
	}
	if err := m2.answer(jid, "pong"); err != nil {
		t.Fatal(err)
	}
	if got := plain(t, m1.must(wire.NewMap("cmd", "pub_ret", "jid", jid))); !cmp.Equal(got, object{"m2": object{"ret": "pong"}}) {
		t.Errorf("after it: %v", got)
	}
	if got := plain(t, m2.must(wire.NewMap("cmd", "pub_ret", "jid", jid))); !cmp.Equal(got, object{}) {
		t.Errorf("another minion receives %v", got)
	}
	if why := events.take("topology/refused").String("reason"); !strings.Contains(why, "did not start") {
		t.Errorf("reason: %s", why)
	}
	// Jobs of users are not accessible to minions.
	users := r.say(testJob("m2", "glob")).Map("load").String("jid")
	if got := plain(t, m1.must(wire.NewMap("cmd", "pub_ret", "jid", users))); !cmp.Equal(got, object{}) {
		t.Errorf("a minion receives a user's job: %v", got)
	}
	if got := plain(t, m1.must(pub("zz*", "test.ping"))); !cmp.Equal(got, object{"jid": float64(0), "minions": []any{}}) {
		t.Errorf("no minion matches: %v", got)
	}
}

// Patterns must match the whole id and the whole function name, for each of several functions, and
// publishing from a published function is refused. A refused request gets an empty map and is
// logged.
func TestPeer_Refused(t *testing.T) {
	r := newRig(t, withPeer(map[string]any{
		"m": []any{".*"}, "m1": []any{"test.ping", "grains.item", map[string]any{"m2": []any{"cmd.run"}}, map[string]any{"*": []any{map[string]any{"test.echo": []any{map[string]any{"args": []any{"ok"}}}}}}},
	})).start()
	events := r.events()
	m1, m2 := r.minion("m1", "minion", "minion"), r.minion("m2", "minion", "minion2").listen().announce()
	r.minion("m3", "minion", "minion2")
	for what, load := range map[string]*wire.Map{
		"longer name":        pub("m2", "test.pingx"),
		"shorter name":       pub("m2", "test.pin"),
		"other function":     pub("m2", "cmd.script"),
		"name in a name":     pub("m2", "xtest.ping"),
		"second of several":  pub("m2", "test.ping,cmd.script", "", "x"),
		"publish in turn":    pub("m2", "publish.publish", "*"),
		"hidden publish":     pub("m2", "test.ping,publish.publish", "", "*"),
		"outside the target": pub("*", "cmd.run", "id"),
		"other arguments":    pub("m2", "test.echo", "not ok"),
		"a line more":        pub("m2", "test.ping\n"),
		"no function":        wire.NewMap("cmd", "minion_pub", "arg", []any{}, "tgt", "*"),
		"a list of them":     wire.NewMap("cmd", "minion_pub", "fun", []any{"test.ping", "cmd.script"}, "arg", []any{}, "tgt", "*"),
	} {
		if got := plain(t, m1.must(load)); !cmp.Equal(got, object{}) {
			t.Errorf("%s: %v", what, got)
		}
		load = load.Clone()
		load.Set("cmd", "minion_publish")
		if got := plain(t, m1.must(load)); !cmp.Equal(got, object{}) {
			t.Errorf("%s, waiting: %v", what, got)
		}
	}
	if why := events.take("topology/refused").String("reason"); !strings.Contains(why, "option peer") && !strings.Contains(why, "fun") {
		t.Errorf("reason: %s", why)
	}
	// In another's name: the key identifies the sender.
	forged := pub("m2", "test.ping")
	forged.Set("id", "m1")
	if v, err := m2.send(forged); err == nil && !cmp.Equal(plain(t, v), object{}) {
		t.Errorf("in another's name: %v", plain(t, v))
	}
	select {
	case p := <-m2.heard:
		t.Errorf("published: %s", wire.FunName(p.Fun))
	default:
	}
	for what, load := range map[string]*wire.Map{"one": pub("m2", "test.ping"), "of a target": pub("m2", "cmd.run", "id"), "with arguments": pub("m2", "test.echo", "ok"), "several": pub("m2", "test.ping,grains.item", "", "os")} {
		if got, _ := plain(t, m1.must(load)).(object); !cmp.Equal(got["minions"], []any{"m2"}) {
			t.Errorf("%s: %v", what, got)
		}
		m2.hear()
	}
}

// The older form waits for the results itself.
func TestPeer_Waiting(t *testing.T) {
	r := newRig(t, withPeer(map[string]any{".*": []any{".*"}})).start()
	m1, m2 := r.minion("m1", "minion", "minion"), r.minion("m2", "minion", "minion2").listen().announce()
	go func() {
		for range 2 {
			p := <-m2.heard
			_ = m2.answer(p.JID, "pong")
		}
	}()
	load := pub("m2", "test.ping")
	load.Set("cmd", "minion_publish")
	if got := plain(t, m1.must(load)); !cmp.Equal(got, object{"m2": "pong"}) {
		t.Errorf("%v", got)
	}
	load.Set("form", "full")
	got, _ := plain(t, m1.must(load)).(object)
	if of, _ := got["m2"].(object); of["ret"] != "pong" || got["__jid__"] == nil {
		t.Errorf("full: %v", got)
	}
}

// A minion may call the runners that match peer_run as a whole.
func TestPeer_Runner(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.PeerRun = map[string]any{"m1": []any{"test.arg", "manage.up"}} }).start()
	m1, m2 := r.minion("m1", "minion", "minion"), r.minion("m2", "minion", "minion2")
	call := func(m *minion, fun string, arg ...any) any {
		return plain(t, m.must(wire.NewMap("cmd", "minion_runner", "fun", fun, "arg", append([]any{}, arg...), "tmo", 5, "no_parse", []any{})))
	}
	if got := call(m1, "test.arg", "a", "k=1"); !cmp.Equal(got, object{"args": []any{"a"}, "kwargs": object{"k": float64(1)}}) {
		t.Errorf("%v", got)
	}
	for _, fun := range []string{"test.args", "xtest.arg", "cache.pillar", "test.arg\n", "@runner", ""} {
		if got := call(m1, fun, "*"); !cmp.Equal(got, object{}) {
			t.Errorf("%q: %v", fun, got)
		}
	}
	if got := call(m2, "test.arg"); !cmp.Equal(got, object{}) {
		t.Errorf("another minion: %v", got)
	}
	if got, _ := call(m1, "manage.up", "nosuch=1").(string); !strings.Contains(got, "nosuch") {
		t.Errorf("a call that fails: %q", got)
	}
}

// A minion reaches other branches as far as the masters there allow: a node asks the master above,
// which has its own rules; if refused, it starts the job for its own branch.
func TestPeer_AcrossTheTree(t *testing.T) {
	for name, allowed := range map[string]bool{"allowed above": true, "not allowed above": false} {
		t.Run(name, func(t *testing.T) {
			rules := map[string]any{"a1": []any{"test.*"}, "t1": []any{"test.*"}}
			top := newRig(t, ordersMasters, func(c *config.Master) {
				if allowed {
					c.Peer = rules
				}
			}).start()
			a := top.branch("na", "syndic", []string{"a1", "a2"}, withPeer(rules))
			t1 := top.minion("t1", "minion", "minion2").listen().announce()
			a1 := a.minion("a1", "minion", "minion")
			a2 := a.minion("a2", "minion", "minion2").listen().announce()
			got, _ := plain(t, a1.must(pub("t1", "test.ping"))).(object)
			jid, _ := got["jid"].(string)
			if !allowed {
				if !cmp.Equal(got, object{"jid": float64(0), "minions": []any{}}) {
					t.Errorf("%v", got)
				}
				if got, _ := plain(t, a1.must(pub("a2", "test.ping"))).(object); !cmp.Equal(got["minions"], []any{"a2"}) {
					t.Errorf("its own branch: %v", got)
				}
				a2.hear()
				return
			}
			if !cmp.Equal(got["minions"], []any{"t1"}) || jid == "" {
				t.Fatalf("%v", got)
			}
			if p := t1.hear(); p.ID != "a1" {
				t.Errorf("published for %q", p.ID)
			}
			if err := t1.answer(jid, "pong"); err != nil {
				t.Fatal(err)
			}
			if got := plain(t, a1.must(wire.NewMap("cmd", "pub_ret", "jid", jid))); !cmp.Equal(got, object{"t1": object{"ret": "pong"}}) {
				t.Errorf("results: %v", got)
			}
			if got := plain(t, a2.must(wire.NewMap("cmd", "pub_ret", "jid", jid))); !cmp.Equal(got, object{}) {
				t.Errorf("another minion: %v", got)
			}
			// A node speaks for its own minions only.
			forged := pub("t1", "test.ping")
			forged.Set("cmd", "_peer_pub")
			forged.Set("for", "t1")
			if got := plain(t, a.at.must(forged)); !cmp.Equal(got, object{}) {
				t.Errorf("for a minion of another: %v", got)
			}
			its, _ := plain(t, t1.must(pub("t1", "test.ping"))).(object)
			jid, _ = its["jid"].(string)
			if err := t1.answer(jid, "pong"); err != nil {
				t.Fatal(err)
			}
			if got := plain(t, a.at.must(wire.NewMap("cmd", "_peer_ret", "for", "t1", "jid", jid))); !cmp.Equal(got, object{}) {
				t.Errorf("results for a minion of another: %v", got)
			}
		})
	}
}
