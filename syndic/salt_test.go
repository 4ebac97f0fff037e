package syndic

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"testing"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/link"
)

// recorded is a request of Salt's syndic.
type recorded struct {
	Version   int
	Cmd       string
	KeyString string `json:"key_string"`
	Request   string
	Reply     string
}

func (r recorded) load(t *testing.T) *wire.Map {
	t.Helper()
	body, err := base64.StdEncoding.DecodeString(r.Request)
	if err != nil {
		t.Fatal(err)
	}
	env, err := wire.ParseEnvelope(body)
	if err != nil {
		t.Fatal(err)
	}
	key, err := crypt.ParseKey(r.KeyString)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := key.Open(env.Cipher)
	if err != nil {
		t.Fatal(err)
	}
	m, err := wire.DecodeMap(plain)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func saltRequests(t *testing.T, cmd string) []recorded {
	t.Helper()
	b, err := os.ReadFile("testdata/salt_syndic_requests.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Rows []recorded }
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	var out []recorded
	for _, r := range all.Rows {
		if r.Cmd == cmd {
			out = append(out, r)
		}
	}
	if len(out) < 3 {
		t.Fatalf("only %d recorded %s", len(out), cmd)
	}
	return out
}

// bare returns the bytes of a load without the fields that the channel adds. Version 3 appends the
// id if it is missing.
func bare(t *testing.T, m *wire.Map) string {
	t.Helper()
	m = m.Clone()
	for _, k := range []string{"tok", "nonce", "ts"} {
		m.Delete(k)
	}
	if keys := m.Keys(); len(keys) > 0 && keys[len(keys)-1] == "id" {
		m.Delete("id")
	}
	b, err := wire.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Requests equal those of Salt's syndic for the same returns, byte for byte.
func TestReturnsInSaltsForm(t *testing.T) {
	for _, r := range saltRequests(t, "_syndic_return") {
		want := r.load(t)
		p := startParent(t, channeltest.Rules{Version: r.Version})
		n := plant(t, func(c *config.Syndic) { c.Upper.ID = "syndic-1" }, p)
		j := want.List("load")[0].(*wire.Map)
		jid := j.String("jid")
		load, err := wire.Encode(j.Map("load"))
		if err != nil {
			t.Fatal(err)
		}
		n.local.loads[jid] = returners.Load{JID: jid, Raw: load}
		for _, k := range j.Map("return").Keys() {
			id := k.(string)
			ret := j.Map("return").Map(id)
			n.local.commit(t, jid, id, "fun", j.String("fun"), "return", ret.Bool("return"), "user", "root")
		}
		n.run(t)
		got := p.Await(t, "_syndic_return", 1)[0]
		if g, w := bare(t, got), bare(t, want); g != w {
			t.Errorf("version %d: sent\n%q\nSalt sends\n%q", r.Version, g, w)
		}
		n.stop()
	}
}

func TestEventsInSaltsForm(t *testing.T) {
	for _, r := range saltRequests(t, "_minion_event") {
		want := r.load(t)
		if !want.Has("events") {
			continue
		}
		p := startParent(t, channeltest.Rules{Version: r.Version})
		n := plant(t, func(c *config.Syndic) { c.Upper.ID, c.Local.SyndicEventForwardTimeout = "syndic-1", 1<<40 }, p)
		u := n.parents.links[0].events
		for _, v := range want.List("events") {
			e := v.(*wire.Map)
			data := e.Map("data").Clone()
			stamp, err := wire.ParseStamp(data.String("_stamp"))
			if err != nil {
				t.Fatal(err)
			}
			data.Delete("_stamp")
			raw, err := wire.Encode(data)
			if err != nil {
				t.Fatal(err)
			}
			u.Push(bus.Event{Tag: e.String("tag"), Data: raw, Stamp: stamp})
		}
		n.run(t) // sent at once on connect
		var got *wire.Map
		waiting.Until(t, "the events", func() bool {
			for _, l := range p.Seen("_minion_event") {
				if l.Has("events") {
					got = l
				}
			}
			return got != nil
		})
		if g, w := bare(t, got), bare(t, want); g != w {
			t.Errorf("version %d: sent\n%q\nSalt sends\n%q", r.Version, g, w)
		}
		n.stop()
	}
}

func TestStartEventsInSaltsForm(t *testing.T) {
	var want []*wire.Map
	for _, r := range saltRequests(t, "_minion_event") {
		if m := r.load(t); r.Version == 3 && !m.Has("events") {
			want = append(want, m)
		}
	}
	p := startParent(t, channeltest.Rules{})
	start(t, func(c *config.Syndic) { c.Upper.ID, c.Upper.EnableLegacyStartupEvents = "syndic-1", true }, p)
	got := p.Await(t, "_minion_event", len(want))
	for i, w := range want {
		w.Set("data", got[i].String("data")) // contains the time
		if g, w := bare(t, got[i]), bare(t, w); g != w {
			t.Errorf("sent\n%q\nSalt sends\n%q", g, w)
		}
	}
}

// None means success.
func TestVerdictOfSaltsReplies(t *testing.T) {
	for _, r := range append(saltRequests(t, "_syndic_return"), saltRequests(t, "_minion_event")...) {
		reply, err := base64.StdEncoding.DecodeString(r.Reply)
		if err != nil {
			t.Fatal(err)
		}
		frame, err := wire.Bytes(reply)
		if err != nil {
			t.Fatal(err)
		}
		key, err := crypt.ParseKey(r.KeyString)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := key.OpenNonce(frame, r.load(t).String("nonce"))
		if err != nil {
			t.Fatal(err)
		}
		if err := link.Verdict(plain, nil); err != nil {
			t.Errorf("%s: %v", r.Cmd, err)
		}
	}
}
