package master

import (
	"crypto/sha1"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
)

func TestPublishNeedsTheKey(t *testing.T) {
	r := newRig(t)
	r.accept("m1", "minion")
	r.start()
	r.access.Users["guest"] = "the key of guest"
	events := r.events()
	for _, key := range []any{"", nil, "wrong", "the key of guest", int64(7)} {
		got := r.say(testJob("m1", "glob", "key", key))
		if e := got.Map("error"); e == nil || (e.String("name") != "AuthenticationError" && e.String("name") != "SaltInvocationError") {
			t.Errorf("key %v: %v", key, plain(t, got))
		}
	}
	if tags := events.tags(); len(tags) != 0 {
		t.Errorf("events %v", tags)
	}
	if n := r.Stats().Refused; n < 4 {
		t.Errorf("%d refused", n)
	}
}

// What each kind of target means at the master: lacking data counts as a match of a minion that is
// connected, and not of one that never was.
func TestTargets(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.Nodegroups = map[string]any{"web": "web*"} })
	for _, id := range []string{"web1", "web2", "web3", "db1"} {
		r.accept(id, "minion")
	}
	r.start()
	r.minion("web2", "minion", "minion").listen().announce()
	grains := func(id, os, ip string) {
		if err := r.data.Put(id, wire.NewMap("os", os, "ipv4", []any{ip}), wire.NewMap("role", id[:2])); err != nil {
			t.Fatal(err)
		}
	}
	grains("web1", "Debian", "10.0.0.1")
	grains("db1", "SUSE", "10.0.1.1") // of web2 and web3 nothing is known
	for _, c := range []struct {
		tgt     any
		kind    string
		minions []any
		missing []any
		message string
	}{
		{"*", "glob", []any{"db1", "web1", "web2", "web3"}, nil, ""},
		{"web?", "glob", []any{"web1", "web2", "web3"}, nil, ""},
		{"(web|db)1", "pcre", []any{"db1", "web1"}, nil, ""},
		{[]any{"web2", "gone", "web1", "web2", "gone"}, "list", []any{"web1", "web2"}, []any{"gone"}, ""},
		{"web1,db1", "list", []any{"db1", "web1"}, nil, ""},
		{"os:Debian", "grain", []any{"web1", "web2"}, nil, ""},
		{"os:S.*", "grain_pcre", []any{"db1", "web2"}, nil, ""},
		{"role:db", "pillar", []any{"db1", "web2"}, nil, ""},
		{"role:w.", "pillar_pcre", []any{"web1", "web2"}, nil, ""},
		{"10.0.1.0/24", "ipcidr", []any{"db1", "web2"}, nil, ""},
		{"web* and not G@os:Debian", "compound", []any{"web2"}, nil, ""},
		{"web", "nodegroup", []any{"web1", "web2", "web3"}, nil, ""},
		{"nobody*", "glob", nil, nil, "could not resolve minions"},
		{[]any{"gone"}, "list", nil, nil, "could not resolve minions"},
		{"%cluster", "range", nil, nil, "SaltInvocationError"},
		{"(", "pcre", nil, nil, "SaltInvocationError"},
		{"x", "odd", nil, nil, "SaltInvocationError"},
		{int64(1), "glob", nil, nil, "SaltInvocationError"},
	} {
		got := plain(t, r.say(testJob(c.tgt, c.kind))).(map[string]any)
		if c.message != "" {
			b := toText(t, got)
			if !strings.Contains(b, c.message) {
				t.Errorf("%v %s: %s, want %q in it", c.tgt, c.kind, b, c.message)
			}
			continue
		}
		load, _ := got["load"].(map[string]any)
		if c.missing == nil {
			c.missing = []any{}
		}
		if !cmp.Equal(load["minions"], any(c.minions)) || !cmp.Equal(load["missing"], any(c.missing)) {
			t.Errorf("%v %s: %v", c.tgt, c.kind, got)
		}
	}
}

func toText(t *testing.T, v any) string {
	t.Helper()
	raw, err := wire.Encode(toWire(v))
	if err != nil {
		t.Fatal(err)
	}
	b, err := wire.ToJSON(raw)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func toWire(v any) any {
	if m, ok := v.(map[string]any); ok {
		out := wire.NewMap()
		for _, k := range slices.Sorted(maps.Keys(m)) {
			out.Set(k, toWire(m[k]))
		}
		return out
	}
	return v
}

// A job that matches no minion here still goes to the nodes below, or with order_masters to all
// subscribers.
func TestNobodyHere(t *testing.T) {
	for _, c := range []struct {
		order, node bool
		published   bool
	}{{false, false, false}, {true, false, true}, {false, true, true}} {
		r := newRig(t, func(m *config.Master) { m.OrderMasters = c.order })
		r.start()
		if c.node {
			n := r.minion("n1", "syndic", "syndic")
			r.admit("n1")
			n.listen().announce()
		}
		m := r.minion("m1", "minion", "minion").listen()
		load := r.say(testJob("nobody", "glob", "to", int64(7))).Map("load")
		if got := load.String("jid") != ""; got != c.published {
			t.Errorf("%+v: %v", c, plain(t, load))
		}
		if c.published {
			if p := m.hear(); p.JID != load.String("jid") || !p.HasTo || p.To != 7 {
				t.Errorf("%+v: heard %+v", c, p)
			}
			if nodes := len(load.List("nodes")); (nodes == 1) != c.node {
				t.Errorf("%+v: nodes %v", c, load.List("nodes"))
			}
		}
	}
}

// What minions, the bus and the store receive of a job.
func TestPublication(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	events := r.events()
	extra := wire.NewMap("metadata", wire.NewMap("a", int64(1)), "username", "secret", "password", "secret",
		"delimiter", "/", "ret_config", "rc", "master_id", "above")
	load := r.say(testJob("m1", "glob", "fun", "test.arg", "arg", []any{int64(1)}, "kwargs", extra, "jid", someJob)).Map("load")
	p := m.hear()
	if p.JID != load.String("jid") || wire.FunName(p.Fun) != "test.arg" || p.TgtType != "glob" || p.MasterID != "above" ||
		p.Delimiter != "/" || p.RetConfig != "rc" || len(p.Metadata) == 0 || len(p.AuthList) != 0 || p.HasTo || p.Serial != 1 {
		t.Errorf("heard %+v", p)
	}
	d := events.take(p.JID)
	if !cmp.Equal(d.List("minions"), []any{"m1"}) || d.Map("mom") == nil {
		t.Errorf("expectation %v", plain(t, d))
	}
	events.take("salt/job/" + p.JID + "/new")
	stored, ok, err := r.store.Local().GetLoad(t.Context(), p.JID)
	if err != nil || !ok || strings.Contains(string(stored.Raw), "secret") || !strings.Contains(string(stored.Raw), "metadata") {
		t.Errorf("stored %q, %v", stored.Raw, err)
	}
	for serial := int64(2); serial < 5; serial++ {
		r.say(testJob("m1", "glob"))
		if p := m.hear(); p.Serial != serial {
			t.Errorf("serial %d, want %d", p.Serial, serial)
		}
	}
}

// A known jid is not published again, whether its account is open or was closed and dropped; its
// expectation is reported again.
func TestJobPassedTwice(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	events := r.events()
	const jid = "20240102030405678901"
	publish := func() {
		t.Helper()
		load := r.say(testJob("m1", "glob", "jid", jid)).Map("load")
		if load.String("jid") != jid || len(load.List("minions")) != 1 {
			t.Errorf("answer %v", plain(t, load))
		}
		events.take(jid)
	}
	publish()
	if p := m.hear(); p.JID != jid {
		t.Errorf("heard %v", p.JID)
	}
	publish()
	if err := m.answer(jid, true); err != nil {
		t.Fatal(err)
	}
	events.take("salt/job/" + jid + "/complete")
	publish()
	r.restart()
	events = r.events()
	m.announce()
	publish()
	last := r.say(testJob("m1", "glob")).Map("load").String("jid")
	if p := m.hear(); p.JID != last {
		t.Errorf("%s was published again", p.JID)
	}
	if left := r.notes(returners.NoteOpen); len(left) > 1 {
		t.Errorf("open are %v", left)
	}
	if got := r.say(testJob("m1", "glob", "jid", "../../x")).Map("error"); got.String("name") != "SaltInvocationError" {
		t.Errorf("an invalid jid: %v", plain(t, got))
	}
}

// With zmq_filtering each minion receives the jobs that are for it.
func TestFiltering(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.ZmqFiltering, c.OrderMasters = true, true })
	r.start()
	topicOf := func(id string) string { s := sha1.Sum([]byte(id)); return hex.EncodeToString(s[:]) }
	m1 := r.minion("m1", "minion", "minion").listen("broadcast", topicOf("m1"))
	m2 := r.minion("m2", "minion", "minion2").listen("broadcast", topicOf("m2"))
	node := r.minion("n1", "syndic", "syndic").listen("broadcast", "syndic").announce()
	for _, c := range []struct {
		tgt        any
		kind       string
		m1, m2, n1 bool
	}{
		{"m1", "glob", true, false, true},
		{"m[12]", "pcre", true, true, true},
		{[]any{"m2"}, "list", false, true, true},
		{"os:x", "grain", true, true, false}, // topic "broadcast"
	} {
		jid := r.say(testJob(c.tgt, c.kind)).Map("load").String("jid")
		for _, who := range []struct {
			m    *minion
			want bool
		}{{m1, c.m1}, {m2, c.m2}, {node, c.n1 || c.kind == "grain"}} {
			if who.want {
				if p := who.m.hear(); p.JID != jid {
					t.Errorf("%v: %s heard %s, want %s", c.tgt, who.m.id, p.JID, jid)
				}
			}
		}
	}
	for _, m := range []*minion{m1, m2, node} {
		if len(m.heard) != 0 {
			t.Errorf("%s heard more", m.id)
		}
	}
}

// A job does not wait for a minion that disconnects after it matched and before the job started.
func TestLostWhilePublishing(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	spec := engine.Job{JID: "20240102030405678901", Minions: r.peers.Minions([]string{"m1"}, func(string) bool { return false }), Timeout: time.Hour}
	if spec.Minions[0].Live != engine.Up {
		t.Fatal("m1 is not up")
	}
	m.mute()
	eventually(t, "m1 gone", func() bool { return r.live("m1") == engine.Away })
	save, _, err := r.jobs.Publish(t.Context(), engine.Publication{Spec: spec})
	if err != nil {
		t.Fatal(err)
	}
	r.jobs.Saved(save, returners.Result{}, nil)
	events := r.events()
	r.peers.LookAgain(spec)
	d := events.take("salt/job/" + spec.JID + "/missing").Map("absent")
	if d.Map("m1").String("reason") != engine.NotConnected {
		t.Errorf("missing %v", plain(t, d))
	}
}
