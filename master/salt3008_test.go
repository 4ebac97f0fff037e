package master

import (
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// recorded3008 holds loads that daemons of Salt 3008.2 sent, before encryption.
type recorded3008 struct {
	Minion, Syndic []struct {
		Cmd     string         `json:"cmd"`
		Plain   wire.Raw       `json:"plain"`
		Decoded map[string]any `json:"decoded"`
	}
}

func load3008(t testing.TB) (f recorded3008) {
	t.Helper()
	vectors.Load(t, "live_3008_requests.json", &f)
	return f
}

// replay adapts a recorded load to another sender and job, without the fields added by its channel.
func replay(t testing.TB, plain wire.Raw, change ...any) *wire.Map {
	t.Helper()
	m, err := wire.DecodeMap(plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"tok", "nonce", "ts", "sig"} {
		m.Delete(k)
	}
	for i := 0; i < len(change); i += 2 {
		m.Set(change[i], change[i+1])
	}
	return m
}

// A syndic of Salt 3008 names its minions only in the event of the new job. Our node between it and
// the top reports them as an expectation, once.
func TestSyndicOfSalt3008ReportsItsMinions(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.opts.Parent = returners.DestAbove
	r.start()
	node := r.minion("low8", "syndic", "syndic")
	node.must(bulk("syndic/low8", event("salt/syndic/low8/start", wire.NewMap())))
	events := r.events()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	pass := func(change func(tag string) string, minions ...string) {
		for _, req := range load3008(t).Syndic {
			if req.Cmd != "_minion_event" {
				continue
			}
			m := replay(t, req.Plain)
			for _, e := range m.List("events") {
				x, _ := e.(*wire.Map)
				was, kind, _, ok := jobevent.Parse(x.String("tag"))
				if !ok {
					continue
				}
				x.Set("tag", change(strings.Replace(x.String("tag"), was, jid, 1)))
				x.Map("data").Set("jid", jid)
				if kind == jobevent.KindNew && len(minions) > 0 {
					x.Map("data").Set("minions", minions)
				}
			}
			node.must(m)
			return
		}
		t.Fatal("no events were recorded")
	}
	as := func(tag string) string { return tag }
	expectations := func() (xs []jobevent.Expectation) {
		for _, e := range events.rest() {
			if e.Tag != jid || e.Origin == "" {
				continue
			}
			x, err := jobevent.DecodeExpectation(jid, e.Data)
			if err != nil {
				t.Fatal(err)
			}
			xs = append(xs, x)
		}
		events.seen = nil
		return xs
	}
	pass(as)
	pass(as)
	if xs := expectations(); len(xs) != 1 || xs[0].Node != "low8" || !xs[0].Plain || len(xs[0].Minions) < 2 {
		t.Errorf("reported %+v", xs)
	}
	pass(as, "s8r", "s8z") // another slice of a batch
	if xs := expectations(); len(xs) != 1 || !slices.Contains(xs[0].Minions, "s8z") {
		t.Errorf("reported of the next slice %+v", xs)
	}
	// A master of Salt 3008 fires events of its own syndics under their names only.
	pass(func(tag string) string { return "syndic/lower/" + tag }, "deep")
	if xs := expectations(); len(xs) != 1 || !slices.Equal(xs[0].Minions, []string{"deep"}) || xs[0].Node != "low8" {
		t.Errorf("reported from two tiers further down %+v", xs)
	}
	node.must(syndicReturn("low8", jid, "s8p", "s8r", "d-01", "d-02", "s8z", "deep"))
	if d := events.take("salt/job/" + jid + "/complete"); d.Int("returned") != 6 || d.Int("expected") != 6 {
		t.Errorf("complete %v", plain(t, d))
	}
}

// A syndic of Salt 3008 forwards the whole publication. As in Salt, its event is fired under the
// name of the node only.
func TestPublicationOfASyndicIsShownOnce(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	node := r.minion("low8", "syndic", "syndic")
	events := r.events()
	for _, req := range load3008(t).Syndic {
		if req.Cmd == "_minion_event" {
			node.must(replay(t, req.Plain))
		}
	}
	node.must(bulk("syndic/low8", event("last", wire.NewMap())))
	events.find("the last event", func(e bus.Event) bool { return e.Tag == "syndic/low8/last" })
	shown := 0
	for _, tag := range events.tags() {
		if strings.HasSuffix(tag, "/publish") {
			shown++
			if !strings.HasPrefix(tag, "syndic/low8/") {
				t.Errorf("shown as %s", tag)
			}
		}
	}
	if shown == 0 {
		t.Error("never shown")
	}
}
