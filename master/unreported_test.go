package master

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// allReports returns everything a forwarder would receive, in one piece per job.
func allReports(m *Master) (out []bus.Event) {
	for _, jid := range m.OpenJobs("", 1<<20) {
		out = slices.AppendSeq(out, m.Reports(jid, 1<<20))
	}
	return out
}

// endReported returns the missing minions of a job and its closing report.
func endReported(t *testing.T, m *Master, jid string) (missing, nodes *wire.Map, word int64) {
	t.Helper()
	for _, e := range allReports(m) {
		d, err := wire.DecodeMap(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		switch e.Tag {
		case "salt/job/" + jid + "/missing":
			missing, nodes = d.Map("absent"), d.Map("nodes")
		case "salt/job/" + jid + "/closed":
			word = d.Int("word")
		}
	}
	return missing, nodes, word
}

func belowATop(t *testing.T) *rig {
	r := newRig(t, ordersMasters, func(c *config.Master) { c.PublishRetention = 0 }) // minions that are away are missing at once
	r.opts.Parent = returners.DestAbove
	return r
}

// A job closed with missing minions is reported to the master above, across restarts, until
// accepted.
func TestClosedJobIsReportedOverRestarts(t *testing.T) {
	r := belowATop(t)
	r.accept("m1", "minion")
	r.start()
	m := r.minion("m1", "minion", "minion")
	m.listen("broadcast").announce()
	m.mute()
	eventually(t, "m1 gone", func() bool { return r.live("m1") != engine.Up })
	events := r.events()
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	events.take("salt/job/" + jid + "/closed")
	for range 2 {
		missing, _, word := endReported(t, r.Master, jid)
		if missing.Map("m1").String("reason") != engine.NotConnected || word == 0 {
			t.Fatalf("reported: missing %v, word %d", missing, word)
		}
		r.Reported(jid, uint64(word+1)) // another number
		r.restart()
	}
	_, _, word := endReported(t, r.Master, jid)
	r.Reported(jid, uint64(word))
	r.restart()
	if missing, _, word := endReported(t, r.Master, jid); missing != nil || word != 0 {
		t.Errorf("reported again: %v, word %d", missing, word)
	}
}

// A master above that requests a closed job receives its missing minions.
func TestSecondAskerHearsWhoIsMissing(t *testing.T) {
	r := belowATop(t)
	r.accept("m1", "minion")
	r.start()
	m := r.minion("m1", "minion", "minion").listen("broadcast").announce()
	m.mute()
	eventually(t, "m1 gone", func() bool { return r.live("m1") != engine.Up })
	events := r.events()
	r.say(testJob("*", "glob", "jid", someJob))
	d := events.take("salt/job/" + someJob + "/closed")
	r.Reported(someJob, uint64(d.Int("word")))
	r.restart()
	m.listen("broadcast").announce()
	events = r.events()
	r.say(testJob("*", "glob", "jid", someJob))
	if d := events.take("salt/job/" + someJob + "/missing"); d.Map("absent").Map("m1").String("reason") != engine.NotConnected {
		t.Errorf("missing %v", plain(t, d))
	}
	events.take("salt/job/" + someJob + "/closed")
}

// So does one that requests an open job, and the reasons come with the expectation, so that its
// store has them.
func TestSecondAskerHearsWhoIsMissingFromAnOpenJob(t *testing.T) {
	r := belowATop(t)
	r.accept("m1", "minion")
	r.accept("m2", "minion")
	r.start()
	m1 := r.minion("m1", "minion", "minion").listen("broadcast").announce()
	r.minion("m2", "minion", "minion").listen("broadcast").announce()
	m1.mute()
	eventually(t, "m1 gone", func() bool { return r.live("m1") != engine.Up })
	eventually(t, "m2 here", func() bool { return r.live("m2") == engine.Up })
	r.say(testJob("*", "glob", "jid", someJob))
	m1.listen("broadcast").announce()
	eventually(t, "m1 back", func() bool { return r.live("m1") == engine.Up })
	if a, ok := r.jobs.State(someJob); !ok || !a.Open() || len(a.Missing) != 1 {
		t.Fatalf("the job is not open with one missing: %+v", a)
	}
	events := r.events()
	r.say(testJob("*", "glob", "jid", someJob))
	if d := events.take("salt/job/" + someJob + "/missing"); d.Map("absent").Map("m1").String("reason") != engine.NotConnected {
		t.Errorf("missing %v", plain(t, d))
	}
	for _, e := range allReports(r.Master) {
		if e.Tag != someJob {
			continue
		}
		d, err := wire.DecodeMap(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Map("mom").Map("unreachable").String("m1"); got != engine.NotConnected {
			t.Errorf("m1 is reported as %q in the expectation", got)
		}
	}
}

// The open mark goes only after the reasons of missing minions are stored. If they cannot be, the
// job is restored.
func TestMarkGoesAfterTheReasons(t *testing.T) {
	r := belowATop(t)
	store := newGated(r)
	r.accept("m1", "minion")
	r.start()
	m := r.minion("m1", "minion", "minion")
	m.listen("broadcast").announce()
	m.mute()
	eventually(t, "m1 gone", func() bool { return r.live("m1") != engine.Up })
	events := r.events()
	hold := make(chan struct{})
	store.word = true
	store.set(nil, hold)
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	events.take("salt/job/" + jid + "/complete")
	<-store.here
	if !slices.Contains(r.notes(returners.NoteOpen), jid) {
		t.Error("the mark has gone before the reasons are stored")
	}
	close(hold)
	events.take("salt/job/" + jid + "/closed")
	if slices.Contains(r.notes(returners.NoteOpen), jid) {
		t.Error("the mark is still there")
	}
	if xs, err := r.store.Local().GetExpectations(t.Context(), jid); err != nil || xs[0].Missing["m1"] == "" {
		t.Errorf("stored %+v, %v", xs, err)
	}
}

// A node's report is acknowledged after it is stored.
func TestReportOfANodeIsStoredBeforeItIsAcknowledged(t *testing.T) {
	r := newRig(t, ordersMasters)
	store := newGated(r)
	store.word = true
	r.accept("n1", "syndic")
	r.start()
	n := r.minion("n1", "syndic", "syndic").listen("syndic").announce()
	said := func(tag string, d *wire.Map) *wire.Map {
		return wire.NewMap("cmd", "_minion_event", "id", "n1", "pretag", "syndic/n1", "events", []any{wire.NewMap("tag", tag, "data", d)})
	}
	expectation := wire.NewMap("minions", []any{"x1"}, "jid", someJob, "mom", wire.NewMap("node", "", "asked", []any{}))
	store.set(returners.ErrFull, nil)
	if _, err := n.send(said(someJob, expectation)); !errors.Is(err, channel.ErrNotNow) {
		t.Errorf("the node receives %v", err)
	}
	if _, err := n.send(said("some/event", wire.NewMap("a", 1))); err != nil {
		t.Errorf("an event that needs no store: %v", err)
	}
	store.set(nil, nil)
	eventually(t, "the word to be taken, once what failed before has been tried again", func() bool {
		_, err := n.send(said(someJob, expectation))
		return err == nil
	})
	n.must(said("salt/job/"+someJob+"/missing", wire.NewMap("jid", someJob,
		"missing", wire.NewMap("x1", wire.NewMap("reason", "Not connected", "path", "")), "nodes", wire.NewMap("deep", "unreachable"))))
	xs, err := r.store.Local().GetExpectations(t.Context(), someJob)
	if err != nil || len(xs) != 2 || xs[0].Missing["x1"] != "Not connected" || xs[1].Node != "n1/deep" || xs[1].State != "unreachable" {
		t.Errorf("stored %+v, %v", xs, err)
	}
}

// Unreachable nodes, and the minions behind them, are known after a restart.
func TestNodesThatAreDownAreNamedAfterARestart(t *testing.T) {
	r := belowATop(t)
	r.accept("n1", "syndic")
	r.accept("m1", "minion")
	r.start()
	m := r.minion("m1", "minion", "minion")
	m.listen("broadcast").announce() // keeps the job open
	n := r.minion("n1", "syndic", "syndic")
	n.listen("syndic").announce()
	n.mute()
	eventually(t, "n1 gone", func() bool { return r.liveNode("n1") != engine.Up })
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	eventually(t, "the state to be stored", func() bool {
		xs, err := r.store.Local().GetExpectations(t.Context(), jid)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range xs {
			if x.Node == "n1" && x.State == string(jobevent.NodeUnreachable) {
				return true
			}
		}
		return false
	})
	r.restart()
	a, ok := r.jobs.State(jid)
	if !ok || a.Nodes["n1"] != jobevent.NodeUnreachable {
		t.Errorf("after the restart the job has nodes %v", a.Nodes)
	}
	if _, nodes, _ := endReported(t, r.Master, jid); nodes.String("n1") != string(jobevent.NodeUnreachable) {
		t.Errorf("reported: nodes %v", nodes)
	}
}

// Minions behind a node that does not come back are reported after a restart of this master,
// although the node never sent its expectation.
func TestMinionsBehindALostNodeAreNamedAfterARestart(t *testing.T) {
	r := newRig(t, ordersMasters, func(c *config.Master) { c.Timeout = 5 * time.Second }) // longer than publish waits for n1
	r.accept("n1", "syndic")
	r.start()
	n := r.minion("n1", "syndic", "syndic").listen("syndic").announce()
	sub := topology.Node{ID: "n1", Role: "syndic", Minions: []topology.Minion{{ID: "deep", State: topology.Up}}}.Map()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, _, err := n.Announce(ctx, channel.Presence{Tree: sub}); err != nil {
		t.Fatal(err)
	}
	jid := r.say(testJob("*", "glob")).Map("load").String("jid")
	n.mute()
	r.restart()
	events := r.events()
	// It is silent and disconnected; either may be found first.
	lost := func(reason string) bool { return reason == engine.NodeDown || reason == engine.NodeNoResponse }
	if a, ok := r.jobs.State(jid); ok && !a.Open() { // closed already
		if !lost(a.Missing["deep"].Reason) {
			t.Errorf("account %+v", a)
		}
		return
	}
	d := events.take("salt/job/" + jid + "/complete")
	if !lost(d.Map("absent").Map("deep").String("reason")) || d.Map("nodes").String("n1") == string(jobevent.NodeAnswered) {
		t.Errorf("complete %v", plain(t, d))
	}
}
