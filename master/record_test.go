package master

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/returners"
)

// asked is the stored user, function and target of a job.
func (r *rig) asked(jid string) string {
	r.t.Helper()
	l, ok, err := r.store.Local().GetLoad(r.t.Context(), jid)
	if err != nil || !ok {
		r.t.Fatalf("job %s: %v %v", jid, ok, err)
	}
	d, err := wire.DecodeMap(l.Raw)
	if err != nil {
		r.t.Fatal(err)
	}
	arg, _ := wire.Field(l.Raw, "arg")
	return l.User + " " + d.String("user") + " " + d.String("fun") + " " + string(arg) + " " + d.String("tgt")
}

const fredsKey = "the key of fred"

// freds is a master where fred may publish test.* only.
func freds(t *testing.T) *rig {
	r := newRig(t, func(c *config.Master) {
		c.OrderMasters = true
		c.PublisherAcl = map[string]any{"fred": []any{"test.*"}}
	})
	r.start()
	r.access.Users = access.Users{"root": rootKey, "fred": fredsKey}
	return r
}

// The user, content and target of a job are fixed by its first commit. A user of publisher_acl and
// a node with a longer load try to change them.
func TestRecordOfAJobNeverChanges(t *testing.T) {
	r := freds(t)
	m := r.minion("m1", "minion", "minion").listen().announce()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	events := r.events()
	jid := r.say(testJob("m1", "glob", "fun", "cmd.run", "arg", []any{"rm -rf /srv"})).Map("load").String("jid")
	first := r.asked(jid)
	m.hear()
	for what, load := range map[string]*wire.Map{
		"another function": testJob("m1", "glob", "key", fredsKey, "user", "fred", "jid", jid, "arg", []any{strings.Repeat("x", 300)}),
		"another user":     testJob("m1", "glob", "key", rootKey, "user", "alice", "jid", jid, "fun", "test.ping", "arg", []any{"rm -rf /srv"}),
		"another target":   testJob("*", "glob", "jid", jid, "fun", "cmd.run", "arg", []any{"rm -rf /srv"}),
	} {
		reply := r.say(load)
		if e := reply.Map("error"); e == nil || !strings.Contains(e.String("message"), "exists with a different") {
			t.Errorf("%s: %v", what, plain(t, reply))
		}
	}
	node.must(wire.NewMap("cmd", "_syndic_return", "load", []any{wire.NewMap("id", "n1", "jid", jid, "fun", "cmd.run",
		"load", wire.NewMap("cmd", "publish", "user", "bob", "fun", "cmd.run", "arg", []any{strings.Repeat(" ", 300)}, "tgt", "db*", "tgt_type", "glob", "jid", jid, "kwargs", wire.NewMap()),
		"return", wire.NewMap())}))
	if now := r.asked(jid); now != first {
		t.Errorf("the record has %q, had %q", now, first)
	}
	if n := r.policy.Counts()["record"]; n != 4 {
		t.Errorf("%d are counted", n)
	}
	if d := events.take("topology/refused"); d.String("kind") != "record" {
		t.Errorf("refused: %v", plain(t, d))
	}
	if len(m.heard) != 0 {
		t.Error("something was published")
	}
	// Repeating the same job changes nothing and is no error.
	same := r.say(testJob("m1", "glob", "jid", jid, "fun", "cmd.run", "arg", []any{"rm -rf /srv"}))
	if same.Map("load").String("jid") != jid || r.asked(jid) != first {
		t.Errorf("the same job again: %v", plain(t, same))
	}
}

// A load that came with returns before the job was published here does not block the job, and does
// not stay as its record.
func TestOwnRecordGoesBeforeOneFromBelow(t *testing.T) {
	r := freds(t)
	m := r.minion("m1", "minion", "minion").listen().announce()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	const jid = "20260101000000000001"
	node.must(wire.NewMap("cmd", "_syndic_return", "load", []any{wire.NewMap("id", "n1", "jid", jid, "fun", "x",
		"load", wire.NewMap("user", "bob", "fun", "cmd.run", "arg", []any{strings.Repeat(" ", 300)}, "tgt", "db*", "jid", jid), "return", wire.NewMap())}))
	if e := r.say(testJob("m1", "glob", "jid", jid)).Map("error"); e != nil {
		t.Fatalf("refused: %s", e.String("message"))
	}
	if m.hear(); !strings.HasPrefix(r.asked(jid), "root root test.ping ") {
		t.Errorf("the record has %q", r.asked(jid))
	}
}

// Only the key of a request shows that a job comes from above. A user of publisher_acl who sets
// jid, user and master does not pass for a node.
func TestUserNamedByAnAclUserIsNotBelieved(t *testing.T) {
	r := freds(t)
	m := r.minion("m1", "minion", "minion").listen().announce()
	lies := wire.NewMap("user", "root", "master_id", "other", "id", "m9", "mom_order", wire.NewMap("x", 1))
	reply := r.say(testJob("m1", "glob", "key", fredsKey, "user", "fred", "jid", "20240102030405678901", "kwargs", lies))
	if reply.Map("error") != nil {
		t.Fatalf("%v", plain(t, reply))
	}
	p := m.hear()
	if p.User != "fred" || p.MasterID != "" || p.ID != "" || wire.Count(p.AuthList) == 0 || !strings.HasPrefix(r.asked(p.JID), "fred fred ") {
		t.Errorf("published as %q of %q by %q, held to % x; the record has %q", p.User, p.MasterID, p.ID, []byte(p.AuthList), r.asked(p.JID))
	}
	// The forwarder uses the key of the master's own user.
	r.say(testJob("m1", "glob", "jid", "20240102030405678902", "kwargs", wire.NewMap("user", "alice", "master_id", "other")))
	if p := m.hear(); p.User != "alice" || p.MasterID != "other" || !strings.HasPrefix(r.asked(p.JID), "alice alice ") {
		t.Errorf("from above: published as %q of %q; the record has %q", p.User, p.MasterID, r.asked(p.JID))
	}
}

// Two tops create the same jid in the same microsecond. The second job is refused with the reason.
func TestSameJidOtherJobIsRefused(t *testing.T) {
	r := newRig(t)
	r.opts.Parent = returners.DestAbove
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	const jid = "20260101000000000001"
	r.say(testJob("*", "glob", "jid", jid))
	m.hear()
	reply := r.say(testJob("*", "glob", "jid", jid, "fun", "state.apply"))
	want := "publish: job " + jid + " exists with a different fun; omit jid to get a new one"
	if e := reply.Map("error"); e == nil || e.String("message") != want {
		t.Errorf("%v", plain(t, reply))
	}
	// Also when both come at once.
	const both = "20260101000000000002"
	replies := make(chan error, 2)
	for _, fun := range []string{"test.ping", "test.echo"} {
		load, err := wire.Encode(testJob("*", "glob", "jid", both, "fun", fun))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, err := r.publisher.PublishLoad(t.Context(), load, access.By{Owner: "root"})
			replies <- err
		}()
	}
	refused := 0
	for range 2 {
		if <-replies != nil {
			refused++
		}
	}
	m.hear()
	last := r.say(testJob("*", "glob")).Map("load").String("jid")
	if p := m.hear(); p.JID != last {
		t.Errorf("both were published: %s", p.JID)
	}
	if refused != 1 {
		t.Errorf("%d of 2 are refused", refused)
	}
}
