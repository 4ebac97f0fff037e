package minion

import (
	"fmt"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// A connected minion reports each publication that it drops, because its master would wait
// for it forever. One minion, and one job for each reason to drop a readable publication; jobs
// for others are not answered.
func TestDeclinedJobsAreAnswered(t *testing.T) {
	for _, c := range []struct {
		name   string
		signed bool // the minion requires signatures, this master does not sign
		change func(job *wire.Map)
		want   string // contained in the answer
	}{
		{"not signed", true, func(*wire.Map) {}, "sign_pub_messages"},
		{"a node group that it does not know", false, func(j *wire.Map) { j.Set("tgt", "N@web"); j.Set("tgt_type", "compound") }, "unknown node group"},
		{"a form of targets that it does not know", false, func(j *wire.Map) { j.Set("tgt", "%web"); j.Set("tgt_type", "range") }, "range"},
		{"a type of targets from the future", false, func(j *wire.Map) { j.Set("tgt_type", "tea_leaves") }, "tea_leaves"},
		{"a broken pattern", false, func(j *wire.Map) { j.Set("tgt", "web["); j.Set("tgt_type", "pcre") }, "web["},
		{"a target that is none", false, func(j *wire.Map) { j.Set("tgt", wire.NewMap("a", 1)) }, "target"},
	} {
		t.Run(c.name, func(t *testing.T) {
			knows := func(string, *wire.Map) any { return wire.NewMap("session", true) }
			m := channeltest.Start(t, channeltest.Rules{Handle: map[string]channeltest.Handler{"_presence": knows}})
			cfg := testConfig(t, m)
			cfg.SignPubMessages = c.signed
			d := start(t, cfg)
			m.AwaitSubscribers(t, 1)
			waiting.Until(t, "the announcement", func() bool { return d.sessions.Serving()[0].Ours() })
			other := newJID()
			theirs := channeltest.Job(other, "m2", "test.ping")
			m.Publish(theirs)
			jid := newJID()
			job := channeltest.Job(jid, "m1", "test.ping")
			c.change(job)
			m.Publish(job)
			ret := m.AwaitReturn(t, jid)
			text := ret.String("return")
			if ret.Bool("success") || ret.Int("retcode") == 0 || !strings.HasPrefix(text, "ERROR: m1 does not take the job: ") || !strings.Contains(text, c.want) {
				t.Errorf("answered by %q", text)
			}
			for _, l := range m.Seen("_return") {
				if l.String("jid") == other {
					t.Errorf("a job for another minion is answered by %q", l.String("return"))
				}
			}
		})
	}
}

// The target of a job matches the master's copy of the minion's data, but not the minion's own
// data: the minion reports that at once, and which data differ. If it does not know that the
// master waits for it, as after a salt-call, it reports that when it is asked about the job. It
// reports nothing about jobs for which nobody waits for it, and nothing to old masters.
func TestDeclinesByItsOwnData(t *testing.T) {
	pillar := func(tgt string) func(*wire.Map) {
		return func(j *wire.Map) { j.Set("tgt", tgt); j.Set("tgt_type", "pillar") }
	}
	for _, c := range []struct {
		name   string
		old    bool // the master does not support declined jobs
		fetch  bool // the minion fetches the new pillar, but does not store it
		change func(job *wire.Map)
		probe  bool // the master asks about the job
		want   string
	}{
		{"the pillar that it was given and has not", false, true, pillar("k:new"), false, "[pillar]"},
		{"a pillar that it does not know of", false, false, pillar("k:new"), true, "[pillar]"},
		{"both", false, true, func(j *wire.Map) { j.Set("tgt", "G@id:nobody or I@k:new"); j.Set("tgt_type", "compound") }, false, "[grains pillar]"},
		{"a list that was judged", false, false, func(j *wire.Map) {
			j.Set("tgt", []any{"m1", "m2"})
			j.Set("tgt_type", "list")
			j.Set("mom_target", wire.NewMap("tgt", "k:new", "tgt_type", "pillar", "delimiter", nil, "open", false, "plain", false))
		}, false, "[pillar]"},
		{"nobody waits for it", false, true, pillar("k:other"), false, ""},
		{"an old master", true, true, pillar("k:new"), true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			knows := func(string, *wire.Map) any {
				m := wire.NewMap("session", true)
				if !c.old {
					m.Set("declined", true)
				}
				return m
			}
			m := channeltest.Start(t, channeltest.Rules{Handle: map[string]channeltest.Handler{"_presence": knows}, Pillar: wire.NewMap("k", "old")})
			d := start(t, testConfig(t, m))
			m.AwaitSubscribers(t, 1)
			waiting.Until(t, "the announcement", func() bool { return d.sessions.Serving()[0].Ours() })
			m.Change(func(r *channeltest.Rules) { r.Pillar = wire.NewMap("k", "new") })
			if c.fetch {
				fetched := newJID()
				m.Publish(channeltest.Job(fetched, "m1", "pillar.items"))
				if ret := m.AwaitReturn(t, fetched); ret.Map("return").String("k") != "new" {
					t.Fatalf("pillar.items gives %v", ret.Map("return"))
				}
			}
			jid := newJID()
			job := channeltest.Job(jid, "", "test.ping")
			c.change(job)
			m.Publish(job)
			if c.probe {
				probe := newJID()
				ask := channeltest.Job(probe, "m1", "saltutil.find_job", jid)
				ask.Set("mom_probe", true)
				m.Publish(ask)
				if ret := m.AwaitReturn(t, probe); ret.Map("return").Len() != 0 {
					t.Errorf("it runs the job: %v", ret.Map("return"))
				}
			}
			if c.want != "" {
				if l := m.Await(t, "_declined", 1)[0]; l.String("jid") != jid || fmt.Sprint(l.List("data")) != c.want {
					t.Errorf("declined %q by %v, want %q by %s", l.String("jid"), l.List("data"), jid, c.want)
				}
			}
			last := newJID()
			m.Publish(channeltest.Job(last, "m1", "test.ping"))
			m.AwaitReturn(t, last)
			if c.want == "" && len(m.Seen("_declined")) > 0 {
				t.Errorf("declined %v", m.Seen("_declined"))
			}
			for _, l := range m.Seen("_return") {
				if l.String("jid") == jid {
					t.Errorf("returned %v", l)
				}
			}
		})
	}
}
