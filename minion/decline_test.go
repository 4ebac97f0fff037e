package minion

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// F1: what a connected minion drops, it says: its master waits for it without end
// otherwise. One minion, one job for each reason there is to drop a publication that
// can be read; jobs for others are not answered.
func TestDeclinedJobsAreAnswered(t *testing.T) {
	for _, c := range []struct {
		name   string
		signed bool // the minion wants signatures, this master gives none
		change func(job *wire.Map)
		want   string // in the answer
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
