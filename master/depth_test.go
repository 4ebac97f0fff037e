package master

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// nest returns n nested lists.
func nest(depth int) wire.Raw { return append(bytes.Repeat([]byte{0x91}, depth), 0xc0) }

// depths straddle the limits of values (48), of decoding (64) and of Python's msgpack (511).
func depths() (out []int) {
	for d := 1; d <= 70; d++ {
		out = append(out, d)
	}
	return append(out, 128, 300, 505)
}

// valueOf returns the stored value of a minion's return, and whether it succeeded.
func (r *rig) valueOf(jid, id string) (value wire.Raw, ok bool) {
	r.t.Helper()
	rets, err := r.store.Local().GetReturns(r.t.Context(), jid)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, x := range rets {
		if x.ID == id {
			return x.Value, x.Success
		}
	}
	return nil, false
}

// A result of any depth that Python can send ends the job of its minion, unchanged or as an error
// with the reason, and is acknowledged once.
func TestResultsOfAnyDepthEndTheirJob(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	for _, d := range depths() {
		jid := r.say(testJob("*", "glob")).Map("load").String("jid")
		m.hear()
		if err := m.answer(jid, nest(d)); err != nil {
			t.Fatalf("depth %d: %v", d, err)
		}
		if !r.closed(jid) {
			t.Fatalf("depth %d: the job stays open", d)
		}
		v, ok := r.valueOf(jid, "m1")
		text, _ := wire.Str(v)
		want := fmt.Sprintf(`ERROR: the result of m1 could not be taken by %s: field "return": nested deeper than 48 levels`, r.node)
		if fits := d <= wire.ValueDepth; ok != fits || fits && !bytes.Equal(v, nest(d)) || !fits && text != want {
			t.Errorf("depth %d: success %v, %.100q", d, ok, v)
		}
	}
	r.reportProblems()
	found := false
	for _, p := range topology.Problems(r.Master.tree.Snapshot()) {
		found = found || strings.Contains(p.Detail, "returns refused in the last hour")
	}
	if n := r.policy.Counts()["unusable"]; n == 0 || !found {
		t.Errorf("counted %d, shown %v", n, found)
	}
}

// A refusal in a node's batch affects one row: the others are stored, the node learns which row
// was refused and why, and an error ends that minion's job. The node is an older one that accepts
// 64 levels; 73 rows in one request.
func TestVerdictIsForTheRowAlone(t *testing.T) {
	for _, depth := range []int{wire.ValueDepth, 8} {
		t.Run(fmt.Sprint(depth), func(t *testing.T) { verdictForTheRowAlone(t, depth) })
	}
}

func verdictForTheRowAlone(t *testing.T, depth int) {
	r := newRig(t, ordersMasters, func(c *config.Master) { c.Bounds.Depth = depth })
	r.opts.Parent = returners.DestAbove // a middle tier
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	rets := wire.NewMap("nomap", true)
	for _, d := range depths() {
		rets.Set(fmt.Sprint("m", d), wire.NewMap("return", nest(d), "retcode", 0, "success", true, "fun_args", []any{}))
	}
	args := wire.NewMap("return", true, "retcode", 0, "success", true, "fun_args", nest(49))
	rets.Set("args", args)
	load := wire.NewMap("jid", someJob, "fun", "test.ping", "arg", nest(60))
	v, err := node.Request(t.Context(), wire.NewMap("cmd", "_syndic_return", "load", []any{
		wire.NewMap("id", "n1", "jid", someJob, "fun", "test.ping", "load", load, "return", rets),
	}))
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := wire.ReadVerdicts(v)
	bad := 2
	for _, d := range depths() {
		id := fmt.Sprint("m", d)
		_, refused := rows.Refused[wire.ReturnOf{JID: someJob, ID: id}]
		_, ok := r.valueOf(someJob, id)
		if fits := d <= depth; refused == fits || ok != fits {
			t.Errorf("depth %d: refused %v, success %v", d, refused, ok)
		}
		if d > depth {
			bad++
		}
	}
	if len(rows.Refused) != bad || len(rows.Left) != 0 || len(stored(t, r, someJob)) != len(depths())+2 {
		t.Errorf("refused %d of %d, %d stored", len(rows.Refused), bad, len(stored(t, r, someJob)))
	}
	if n, _, err := r.store.Outbox().OutboxDepth(t.Context(), returners.DestAbove); err != nil || int(n) != len(depths())+2 {
		t.Errorf("%d rows are pending for the parent, %v: errors go up like results", n, err)
	}
}

// A return dropped by policy ends its minion's job with the reason. The minion does not sign and
// the master requires it.
func TestUnsignedReturnEndsTheJob(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.RequireMinionSignMessages = true })
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	m.hear()
	if v := m.must(returnOf("m1", jid, "secret")); v != false { // Salt's answer to a dropped return
		t.Errorf("answered by %v", v)
	}
	v, ok := r.valueOf(jid, "m1")
	if text, _ := wire.Str(v); ok || !strings.Contains(text, "require_minion_sign_messages") || !r.closed(jid) {
		t.Errorf("success %v, %s, closed %v", ok, v, r.closed(jid))
	}
}

// An unreadable return ends its minion's job if it names the job.
func TestUnreadableReturnEndsTheJob(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	other := r.minion("m2", "minion", "minion2").listen().announce()
	for name, change := range map[string]func(*wire.Map){
		"no result": func(l *wire.Map) { l.Delete("return") },
		"user":      func(l *wire.Map) { l.Set("user", []any{}) },
		"out":       func(l *wire.Map) { l.Set("out", 7) },
		"sig":       func(l *wire.Map) { l.Set("sig", wire.NewMap()) },
	} {
		jid := r.say(testJob("m1", "list")).Map("load").String("jid")
		m.hear()
		load := returnOf("m1", jid, true)
		change(load)
		theirs := load.Clone()
		theirs.Set("id", "m1")
		if _, err := other.send(theirs); err == nil && r.closed(jid) {
			t.Errorf("%s: another minion ends the job", name)
		}
		m.must(load)
		if _, ok := r.valueOf(jid, "m1"); ok || !r.closed(jid) {
			t.Errorf("%s: success %v, closed %v", name, ok, r.closed(jid))
		}
	}
}

// A job whose arguments nest too deeply is refused, so that every publication fits its load, its
// events and its returns.
func TestDeepArgumentsAreRefused(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	for _, d := range depths() {
		reply := r.say(testJob("*", "glob", "arg", nest(d)))
		if d > wire.ValueDepth {
			if e := reply.Map("error"); e == nil || e.String("message") != `publish: field "arg": nested deeper than 48 levels` {
				t.Errorf("depth %d: %v", d, plain(t, reply))
			}
			continue
		}
		jid := reply.Map("load").String("jid")
		if p := m.hear(); !bytes.Equal(p.Arg, nest(d)) {
			t.Errorf("depth %d: heard % x", d, []byte(p.Arg))
		}
		load := returnOf("m1", jid, nest(d))
		load.Set("fun_args", nest(d))
		m.must(load)
		if _, ok := r.valueOf(jid, "m1"); !ok {
			t.Errorf("depth %d: not stored", d)
		}
	}
}

// An event too deep for the masters above is dropped and acknowledged; the others of its request
// are processed.
func TestDeepEventsAreDroppedAlone(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	events := r.events()
	var list []any
	for _, d := range depths() {
		list = append(list, wire.NewMap("tag", fmt.Sprint("my/", d), "data", wire.NewMap("x", nest(d-1))))
	}
	if v := node.must(wire.NewMap("cmd", "_minion_event", "id", "n1", "pretag", "syndic/n1", "events", append(list, wire.NewMap("tag", "my/last", "data", wire.NewMap())))); v != nil {
		t.Errorf("answered by %v", v)
	}
	events.take("my/last")
	heard := map[string]bool{}
	for _, e := range events.seen {
		heard[e.Tag] = true
	}
	for _, d := range depths() {
		if heard[fmt.Sprint("my/", d)] != (d <= wire.EventDepth) {
			t.Errorf("depth %d: heard %v", d, heard[fmt.Sprint("my/", d)])
		}
	}
	m := r.minion("m1", "minion", "minion").listen().announce()
	if v := m.must(wire.NewMap("cmd", "_minion_event", "id", "m1", "tag", "mine", "data", nest(60))); v != nil {
		t.Errorf("a minion's is answered by %v", v)
	}
}

// A stock syndic always gets None: one of 3008 stops returning after any other answer.
func TestPythonSyndicIsAnsweredWithNone(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen()
	rets := wire.NewMap("nomap", true, "good", wire.NewMap("return", true, "retcode", 0, "success", true, "fun_args", []any{}),
		"deep", wire.NewMap("return", nest(wire.ValueDepth+1), "retcode", 0, "success", true, "fun_args", []any{}))
	v, err := node.Request(t.Context(), wire.NewMap("cmd", "_syndic_return", "load", []any{
		wire.NewMap("id", "n1", "jid", someJob, "fun", "test.ping", "load", wire.NewMap(), "return", rets),
	}))
	if !wire.IsNil(v) || err != nil {
		t.Errorf("the answer is %v, %v", v, err)
	}
	if value, ok := r.valueOf(someJob, "good"); string(value) != "\xc3" || !ok {
		t.Errorf("the good return is %v, %v", value, ok)
	}
	if n := len(stored(t, r, someJob)); n != 3 {
		t.Errorf("%d returns are stored, errors of the others among them", n)
	}
}
