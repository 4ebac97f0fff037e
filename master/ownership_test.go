package master

import (
	"slices"
	"testing"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// treeOf returns the report of a node with connected minions.
func treeOf(id string, state topology.State, minions ...string) *wire.Map {
	n := topology.Node{ID: id, Role: "syndic", State: topology.Up, Version: "test"}
	for _, m := range minions {
		n.Minions = append(n.Minions, topology.Minion{ID: m, State: state})
	}
	return n.Map()
}

// announceTree announces a node with its tree.
func (m *minion) announceTree(tree *wire.Map) {
	m.t.Helper()
	if _, _, err := m.Announce(m.t.Context(), channel.Presence{Version: "test", Tree: tree}); err != nil {
		m.t.Fatal(err)
	}
}

// twoNodes returns two connected nodes with separate keys.
func twoNodes(r *rig) (n1, n2 *minion) {
	n1 = r.minion("n1", "syndic", "syndic").listen().announce()
	n2 = r.minion("n2", "syndic", "syndic").listen().announce()
	return n1, n2
}

func stored(t *testing.T, r *rig, jid string) map[string]string {
	t.Helper()
	rets, err := r.store.Local().GetReturns(t.Context(), jid)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, ret := range rets {
		out[ret.ID] = ret.Via
	}
	return out
}

// A node that returns for a minion connected to another node is not believed and gets an error; the
// rest of its batch is stored.
func TestForgedIDInSyndicReturn(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	n1, n2 := twoNodes(r)
	n1.announceTree(treeOf("n1", topology.Up, "a"))
	n2.announceTree(treeOf("n2", topology.Up, "b"))
	events := r.events()
	v, err := n2.Request(t.Context(), syndicReturn("n2", someJob, "a", "b"))
	if rows, ok := wire.ReadVerdicts(v); err != nil || !ok || len(rows.Left) != 1 || !rows.Left[wire.ReturnOf{JID: someJob, ID: "a"}] {
		t.Errorf("left are %v, %v", rows.Left, err)
	}
	if got := stored(t, r, someJob); len(got) != 1 || got["b"] != "n2" {
		t.Errorf("stored %v", got)
	}
	d := events.take("topology/refused")
	if d.String("kind") != ownership.OfUnproven || d.String("path") != "n2" || d.String("id") != "a" || d.String("jid") != someJob {
		t.Errorf("refused: %v", plain(t, d))
	}
	if r.Stats().Trespasses[ownership.OfUnproven] == 0 {
		t.Error("not counted")
	}
	n1.must(syndicReturn("n1", someJob, "a"))
	if got := stored(t, r, someJob); got["a"] != "n1" {
		t.Errorf("stored %v", got)
	}
}

// A minion moves to a sibling: its return may arrive before the report of the move.
func TestReturnOfAMinionThatHasMoved(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	n1, n2 := twoNodes(r)
	n1.announceTree(treeOf("n1", topology.Up, "a"))
	done := make(chan error, 1)
	go func() {
		_, err := n2.Request(t.Context(), syndicReturn("n2", someJob, "a"))
		done <- err
	}()
	n2.announceTree(treeOf("n2", topology.Up, "a"))
	err := <-done
	for i := 0; err != nil && i < 5; i++ { // on a slow machine: resend, as the forwarder does
		_, err = n2.Request(t.Context(), syndicReturn("n2", someJob, "a"))
	}
	if got := stored(t, r, someJob); err != nil || got["a"] != "n2" {
		t.Errorf("stored %v, %v", got, err)
	}
	// The former node is gone, so nobody objects.
	n1.mute()
	eventually(t, "n1 gone", func() bool { return !r.policy.Up("n1") })
	if err := r.policy.MayAnswer("n2", "a"); err != nil {
		t.Error(err)
	}
}

// A node was at a sibling and is back, and this master heard nothing of it: it was frozen, and the sibling died
// before its next report. The sibling is back with a return that nobody else has. It is stored once the node
// says where it was, and not before.
func TestReturnOfAMinionThatCameAndWent(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	n1, n2 := twoNodes(r)
	n2.announceTree(treeOf("n2", topology.Up))
	own := topology.NewTree(topology.Node{ID: "n1", Role: "syndic"}, nil)
	own.SetNode(topology.Node{ID: "c", Role: "syndic", State: topology.Up, Minions: []topology.Minion{{ID: "a", State: topology.Up}}})
	report := func() {
		t.Helper()
		whole, _ := own.Whole()
		n1.announceTree(whole.Map())
	}
	report()
	send := func() bool {
		t.Helper()
		v, err := n2.Request(t.Context(), syndicReturn("n2", someJob, "a"))
		rows, ok := wire.ReadVerdicts(v)
		if err != nil || len(rows.Left) > 0 && !ok {
			t.Fatal(err)
		}
		return len(rows.Left) == 0
	}
	if send() {
		t.Fatal("stored although nobody has said that the minion was there")
	}
	own.SetWas("c", []string{"n2"})
	report()
	if !send() {
		t.Error("refused, although the node says that it was there")
	}
	if got := stored(t, r, someJob); got["a"] != "n2" {
		t.Errorf("stored %v", got)
	}
}

// What a minion says of where it was is in this master's report to its parent.
func TestMinionSaysWhereItWas(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	for _, was := range [][]string{{"n2"}, {"n2", "n3"}, nil} {
		if _, _, err := m.Announce(t.Context(), channel.Presence{Version: "test", More: wire.NewMap(sibling.AnnouncedVisits, was)}); err != nil {
			t.Fatal(err)
		}
		whole, _ := r.Tree().Whole()
		if (len(whole.Was) == 1) != (len(was) > 0) || len(was) > 0 && !slices.Equal(whole.Was[0].Nodes, was) {
			t.Errorf("said %v, reported %v", was, whole.Was)
		}
	}
}

// The minions of nodes are known at once after a restart.
func TestOwnersSurviveARestart(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	n1, n2 := twoNodes(r)
	n1.announceTree(treeOf("n1", topology.Up, "a"))
	n2.announceTree(treeOf("n2", topology.Down, "b"))
	n1.mute()
	n2.mute()
	r.restart()
	if !r.policy.Claims().Has("n1", "a") || r.policy.Claims().Has("n2", "a") || !r.policy.Claims().Has("n2", "b") {
		t.Errorf("known are %v, %v", r.policy.Claims().Of("n1"), r.policy.Claims().Of("n2"))
	}
	if other, ok := r.policy.Claims().Elsewhere("a", func(string) bool { return true }); ok {
		t.Errorf("%s is shown as connected", other)
	}
}

// A stock syndic reports no tree; it is believed about minions that nobody else has.
func TestPythonSyndicAnswersForStrangersOnly(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	r.minion("m1", "minion", "minion").listen().announce()
	r.accept("py", "minion") // a stock minion of this master
	eventually(t, "py accepted", func() bool { return r.keys.Accepted("py") })
	n1 := r.minion("n1", "syndic", "syndic").listen().announce()
	n1.announceTree(treeOf("n1", topology.Up, "a"))
	p := r.minion("p", "syndic", "syndic")
	p.must(syndicReturn("p", someJob, "m1", "py", "a", "stranger", "p"))
	if got := stored(t, r, someJob); len(got) != 2 || got["stranger"] != "p" || got["p"] != "p" {
		t.Errorf("stored %v", got)
	}
	if n := r.Stats().Trespasses[ownership.OfReturn]; n != 3 {
		t.Errorf("%d refused, want 3", n)
	}
}

// Expected and missing minions are accepted only from the node that has them.
func TestForgedIDsInExpectations(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	r.start()
	n1, n2 := twoNodes(r)
	n1.announceTree(treeOf("n1", topology.Up, "a"))
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	mom := func(unreachable *wire.Map) *wire.Map {
		return wire.NewMap("node", "", "asked", []any{}, "unreachable", unreachable)
	}
	expectation := func(unreachable *wire.Map, ids ...any) *wire.Map {
		return event(jid, wire.NewMap("minions", ids, "jid", jid, "mom", mom(unreachable)))
	}
	n1.must(bulk("syndic/n1", expectation(wire.NewMap(), "a")))
	gone := wire.NewMap("a", wire.NewMap("reason", "lost", "path", ""))
	n2.must(bulk("syndic/n2", expectation(wire.NewMap("a", "lost"), "a", "c"),
		event("salt/job/"+jid+"/missing", wire.NewMap("jid", jid, "missing", gone, "nodes", wire.NewMap()))))
	a, ok := r.jobs.State(jid)
	if !ok || a.Waiting["a"] != "n1" || a.Waiting["c"] != "n2" || len(a.Missing) != 0 {
		t.Errorf("account %+v", a)
	}
	if n := r.Stats().Trespasses[ownership.OfExpectation]; n != 3 {
		t.Errorf("%d refused, want 3", n)
	}
}

// A node reports a minion as missing that the job counts behind it, even if another node has the
// minion by now. Otherwise the job would wait for it forever.
func TestMissingOfAMinionThatMovedOn(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	n1, n2 := twoNodes(r)
	n1.announceTree(treeOf("n1", topology.Up, "a"))
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	expectation := func(ids ...any) *wire.Map {
		return event(jid, wire.NewMap("minions", ids, "jid", jid, "mom", wire.NewMap("node", "", "asked", []any{}, "unreachable", wire.NewMap())))
	}
	n1.must(bulk("syndic/n1", expectation("a")))
	n2.must(bulk("syndic/n2", expectation()))
	n1.announceTree(treeOf("n1", topology.Up))
	n2.announceTree(treeOf("n2", topology.Up, "a"))
	eventually(t, "a is known at n2", func() bool { return r.policy.MayAnswer("n1", "a") != nil })
	gone := func(node string) *wire.Map {
		w := wire.NewMap("a", wire.NewMap("reason", "No response", "path", ""))
		return bulk("syndic/"+node, event("salt/job/"+jid+"/missing", wire.NewMap("jid", jid, "missing", w, "nodes", wire.NewMap())))
	}
	n1.must(gone("n1"))
	if a, ok := r.jobs.State(jid); !ok || len(a.Waiting) != 0 || a.Missing["a"].Path != "n1" {
		t.Errorf("account %+v", a)
	}
}

// A job with a list target accepts answers from the listed minions only. For other targets
// membership is uncertain, and an unknown jid is accepted, as in Salt.
func TestReturnOfAForeignJob(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	m1 := r.minion("m1", "minion", "minion").listen().announce()
	m2 := r.minion("m2", "minion", "minion").listen().announce()
	node := r.minion("n1", "syndic", "syndic")
	jid := r.say(testJob([]any{"m1"}, "list")).Map("load").String("jid")
	for _, m := range []*minion{m1, m2} {
		if err := m.answer(jid, true); err != nil {
			t.Fatal(err)
		}
	}
	node.must(syndicReturn("n1", jid, "x"))
	if got := stored(t, r, jid); len(got) != 1 {
		t.Errorf("stored %v", got)
	}
	if n := r.Stats().Trespasses[ownership.OfJob]; n != 2 {
		t.Errorf("%d refused, want 2", n)
	}
	if err := m2.answer(someJob, true); err != nil || len(stored(t, r, someJob)) != 1 {
		t.Errorf("a jid of its own: %v, %v", stored(t, r, someJob), err)
	}
	if excluded := func() bool { r.policy.Aimed("x", "grain", nil); return r.policy.Excludes("x", "m2") }(); excluded {
		t.Error("a target by grains excludes")
	}
}

// A master above publishes a job that grows, but not to nodes without minions for it. A minion that
// ran it elsewhere and moves here can still deliver its return, also after a restart.
func TestReturnOfAPartPublishedElsewhere(t *testing.T) {
	r := newRig(t)
	r.opts.Parent = returners.DestAbove
	r.start()
	r.minion("m1", "minion", "minion").listen().announce()
	job := fromAbove(t, "m1")
	job.TgtType = "list"
	var err error
	if job.Tgt, err = wire.Encode([]any{"m1"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Publish(t.Context(), job, returners.Note{Kind: returners.NoteOrigin, JID: job.JID, Key: "a:4506"}); err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"m2", "m3"} {
		if err := r.minion(id, "minion", "minion").listen().announce().answer(job.JID, true); err != nil || len(stored(t, r, job.JID)) != i+1 {
			t.Errorf("%s: stored %v, %v", id, stored(t, r, job.JID), err)
		}
		r.restart()
	}
}

// An unreadable entry is reported by name and does not affect others.
func TestMalformedEntryCostsNoOther(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	node := r.minion("n1", "syndic", "syndic").listen().announce()
	events := r.events()
	good := syndicReturn("n1", someJob, "a").List("load")[0]
	bad := wire.NewMap("id", "n1", "jid", someJob, "fun", "test.ping", "return", wire.NewMap("b", true))
	worse := wire.NewMap("id", "n1", "jid", []any{}, "return", wire.NewMap())
	path := wire.NewMap("id", "n1", "jid", someJob, "fun", "test.ping", "return", wire.NewMap("../b", wire.NewMap("return", 1)))
	if v := node.must(wire.NewMap("cmd", "_syndic_return", "load", []any{bad, good, worse, path})).(*wire.Map); v.Len() != 1 || !v.Map("refused").Map(someJob).Has("b") {
		t.Errorf("answered by %v", plain(t, v))
	}
	if got := stored(t, r, someJob); len(got) != 2 || got["a"] != "n1" || got["b"] != "n1" { // that of b is an error
		t.Errorf("stored %v", got)
	}
	if d := events.take("topology/refused"); d.String("kind") != ownership.OfEntry || d.String("path") != "n1" || d.String("reason") == "" {
		t.Errorf("refused: %v", plain(t, d))
	}
	if n := r.Stats().Trespasses; n[ownership.OfEntry] != 2 || n[ownership.OfUnusable] != 1 {
		t.Errorf("refused %v, want 2 entries and 1 return", n)
	}
}

// An accepted minion claims to be a syndic.
func TestMinionThatCallsItselfASyndic(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	m.mute()
	eventually(t, "m1 gone", func() bool { return !r.policy.Up("m1") })
	for what, load := range map[string]*wire.Map{
		"return":   syndicReturn("m1", someJob, "victim"),
		"start":    wire.NewMap("cmd", "_minion_event", "tag", "salt/syndic/m1/start", "data", "x"),
		"pretag":   bulk("syndic/m1", event("salt/minion/x/start", wire.NewMap())),
		"presence": wire.NewMap("cmd", "_presence", "session", "s", "role", "syndic", "version", "x"),
	} {
		if v, err := m.send(load); err != nil || v != "" {
			t.Errorf("%s: answered by %v, %v", what, v, err)
		}
	}
	if r.policy.IsNode("m1") || len(stored(t, r, someJob)) != 0 {
		t.Error("it was believed")
	}
	if n := r.Stats().Trespasses[ownership.OfNode]; n != 4 {
		t.Errorf("%d refused, want 4", n)
	}
}

func TestSyndicIds(t *testing.T) {
	r := newRig(t, ordersMasters, func(c *config.Master) { c.SyndicIds = []string{"n*", "m1"} })
	r.file("cache/syndics/old", "", 0o600)
	r.start()
	if r.policy.IsNode("old") {
		t.Error("a syndic that is not listed is still one")
	}
	x := r.minion("x", "syndic", "syndic")
	if v, err := x.send(syndicReturn("x", someJob, "a")); err != nil || v != "" || r.policy.IsNode("x") {
		t.Errorf("x: %v, %v", v, err)
	}
	r.minion("n1", "syndic", "syndic").must(syndicReturn("n1", someJob, "a"))
	// A machine that was a minion, and is listed.
	m := r.minion("m1", "minion", "minion").listen().announce()
	m.mute()
	eventually(t, "m1 gone", func() bool { return !r.policy.Connected("m1") })
	m.must(syndicReturn("m1", someJob, "b"))
	if got := stored(t, r, someJob); len(got) != 2 {
		t.Errorf("stored %v", got)
	}
}

// Nodes and minions of this master speak for themselves.
func TestEventsInOthersNames(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	r.minion("m1", "minion", "minion").listen().announce()
	_, n2 := twoNodes(r)
	events := r.events()
	data := wire.NewMap("x", 1)
	if _, err := r.runners.Start(runners.Bind(runners.Request{Fun: "test.sleep", Args: []any{600}, Kwargs: wire.NewMap()}), runners.Start{JID: someJob}); err != nil {
		t.Fatal(err)
	}
	events.take("salt/run/" + someJob + "/new") // somebody waits for its result
	events.take("salt/run/" + someJob + "/print")
	n2.must(bulk("syndic/n2", event("syndic/n1/x", data), event("salt/syndic/n1/start", data), event("salt/minion/m1/start", data),
		event("salt/beacon/m1/load/", data), event("salt/run/"+someJob+"/ret", data), event("key", wire.NewMap("rotate_aes_key", true)), event("salt/minion/other/start", data)))
	if tags := events.tags(); len(tags) != 2 || tags[0] != "salt/minion/other/start" || tags[1] != "syndic/n2/salt/minion/other/start" {
		t.Errorf("fired %v", tags)
	}
	if n := r.Stats().Trespasses[ownership.OfEvent]; n != 6 {
		t.Errorf("%d refused, want 6", n)
	}
}
