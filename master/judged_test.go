package master

import (
	"slices"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
)

// If a rule with a target allowed a job, minions receive the ids that were checked against it,
// nodes the target, and events show the original target.
func TestTargetRule_MinionsGetTheIDs(t *testing.T) {
	r := newRig(t, func(c *config.Master) {
		c.OrderMasters = true
		c.PublisherAcl = map[string]any{
			"fred": []any{wire.NewMap("web*", []any{"test.*"})},
			"anne": []any{"test.*"},
		}
	})
	r.start()
	r.access.Users = access.Users{"root": rootKey, "fred": "the key of fred", "anne": "the key of anne"}
	ours := r.minion("web1", "minion", "minion").listen().announce()
	stock := r.minion("web2", "minion", "minion2").listen()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	of := func(user string, tgt, kind string) string {
		t.Helper()
		id := r.say(testJob(tgt, kind, "key", "the key of "+user, "user", user)).Map("load").String("jid")
		if id == "" {
			t.Fatalf("%s may not", user)
		}
		return id
	}
	hears := func(m *minion, id string) wire.Publication {
		t.Helper()
		for {
			if p := m.hear(); p.JID == id { // stock minions also get a request to identify themselves
				return p
			}
		}
	}
	text := func(raw wire.Raw) string { s, _ := wire.Str(raw); return s }

	id := of("fred", "web*", "glob")
	for _, m := range []*minion{ours, stock} {
		p := hears(m, id)
		ids, err := jobfields.NarrowedIDs(p)
		if p.TgtType != "list" || err != nil || !slices.Equal(ids, []string{"web1", "web2"}) {
			t.Errorf("%s receives %s %q, %v", m.id, p.TgtType, ids, err)
		}
	}
	if p := hears(node, id); p.TgtType != "glob" || text(p.Tgt) != "web*" || p.Extra != nil && p.Extra.Has(jobfields.TargetField) {
		t.Errorf("the node receives %s %q", p.TgtType, p.Tgt)
	}
	stored, ok, err := r.store.Local().GetLoad(t.Context(), id)
	if err != nil || !ok {
		t.Fatal(err)
	}
	load, err := wire.DecodeMap(stored.Raw)
	if err != nil || load.String("tgt") != "web*" || load.String("tgt_type") != "glob" {
		t.Errorf("stored is %v, %v", load, err)
	}

	// The grains of the minions here are unknown. Each connected one compares the target itself,
	// and no other is expected.
	id = of("fred", "web* and G@role:web", "compound")
	if p := hears(stock, id); p.TgtType != "compound" || !wire.IsList(p.Tgt) {
		t.Errorf("where grains are not known: %s %q", p.TgtType, p.Tgt)
	} else if ids, _ := jobfields.NarrowedIDs(p); !slices.Equal(ids, []string{"web1", "web2"}) {
		t.Errorf("where grains are not known: %q", ids)
	}

	// A stock syndic does not understand our list. It receives a target that is within the rule by
	// its form, and so do unidentified peers.
	py := r.minion("py", "syndic", "minion2").listen()
	py.must(bulk("syndic/py", event("salt/syndic/py/start", wire.NewMap())))
	eventually(t, "py a node", func() bool { return r.policy.IsNode("py") })
	id = of("fred", "web2*", "glob")
	if p := hears(py, id); p.TgtType != "glob" || text(p.Tgt) != "web2*" {
		t.Errorf("a Python syndic receives %s %q", p.TgtType, p.Tgt)
	}
	if p := hears(ours, id); p.TgtType != "list" {
		t.Errorf("beside a Python syndic ours receives %s", p.TgtType)
	}
	got := r.say(testJob("G@role:web", "compound", "key", "the key of fred", "user", "fred"))
	if got.Map("error").String("name") != "AuthorizationError" {
		t.Errorf("in front of a Python syndic: %v", plain(t, got))
	}

	id = of("anne", "web*", "glob")
	if p := hears(stock, id); p.TgtType != "glob" || text(p.Tgt) != "web*" {
		t.Errorf("a rule without a target: %s %q", p.TgtType, p.Tgt)
	}
}

func TestTargetsWithControlCharactersAreRefused(t *testing.T) {
	r := newRig(t)
	r.start()
	r.minion("web1", "minion", "minion").listen().announce()
	for _, cmd := range []string{"publish", "preview"} {
		load := testJob("web1\x1for\x1fweb1", "compound")
		load.Set("cmd", cmd)
		if got := r.say(load); got.Map("error").String("message") == "" {
			t.Errorf("%s: %v", cmd, plain(t, got))
		}
	}
}
