package master

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/topology"
)

// A stock syndic and minion on one host share id and key, as they do by default. A job is for both:
// it waits for the minion's return, however long after syndic_wait, and the tree shows both.
func TestOneKey_SyndicAndMinionOfSalts(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters, c.SyndicWait = true, time.Millisecond })
	r.start()
	events := r.events()
	m := r.stockless("host", "minion")
	syndic := &minion{Channel: m.Channel, rig: r, t: t, id: "host"}
	syndic.must(wire.NewMap("cmd", "_minion_event", "pretag", nil, "tag", "salt/syndic/host/start", "data", "x"))
	m.hang = true
	r.connect(m)
	eventually(t, "the minion known", func() bool { return r.state("host") == topology.Up })
	for _, tgt := range []string{"*", "host"} {
		jid := r.say(testJob(tgt, "glob")).Map("load").String("jid")
		eventually(t, "the job heard", func() bool { return m.runs(jid) == 1 })
		a, ok := r.jobs.State(jid)
		if !ok || !a.Open() || a.Expected != 1 || len(a.Waiting) != 1 {
			t.Fatalf("%s: the account is %+v", tgt, a)
		}
		if err := m.Return(t.Context(), returnOf("host", jid, true)); err != nil {
			t.Fatal(err)
		}
		if d := events.take("salt/job/" + jid + "/complete"); d.Int("expected") != 1 || d.Int("returned") != 1 {
			t.Errorf("%s: complete %v", tgt, plain(t, d))
		}
	}
}

// The minion acts first, so the key is a minion's, and the syndic is refused with everything below
// it. The tree shows this with a hint, and the log reports it once, however many messages the
// syndic sends. After an operator declares that the key is for both, no trace remains.
func TestOneKey_RefusedSyndicIsShown(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.OrderMasters = true })
	log := &logged{}
	r.opts.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	r.start()
	m := r.minion("host", "minion", "minion")
	m.must(wire.NewMap("cmd", "_minion_event", "tag", "salt/minion/host/start", "data", "x"))
	shown := func() (detail string) {
		for _, p := range r.Master.Snapshot().Problems {
			if p.Path == "host" {
				detail += p.Detail
			}
		}
		return detail
	}
	for range 20 {
		m.must(bulk("syndic/host", event("salt/minion/m/start", wire.NewMap())))
	}
	if got := shown(); !strings.Contains(got, "mom node admit host") {
		t.Errorf("the tree shows %q", got)
	}
	if n := strings.Count(log.text(), "acts as a syndic") + strings.Count(log.text(), "msg=refused"); n != 1 || !strings.Contains(log.text(), "mom node admit host") {
		t.Errorf("%d lines about it in the log:\n%s", n, log.text())
	}
	r.admit("host")
	m.must(bulk("syndic/host", event("salt/minion/m/start", wire.NewMap())))
	if got := shown(); got != "" || !r.policy.IsNode("host") {
		t.Errorf("admitted, and the tree shows %q", got)
	}
}
