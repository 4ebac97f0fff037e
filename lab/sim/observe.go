package sim

import (
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/engine"
)

// observed records what a subscriber to the events of a node has seen.
type observed struct {
	said       []said          // by job
	missed     string          // the last effect was Missed, for this job
	unreported map[string]bool // at the end: jobs whose end some parent has not accepted
}

// said records the events of one job. A node that dies does not fire events for what it had
// committed, so a crash clears what is still expected.
type said struct {
	begun, started int  // publications, and events of those
	rows, fresh    int  // stored returns that were new, and events of those
	again          bool // it was published again: its reports are repeated
	declined       bool // the node reported that it does not publish it
	restarted      bool // the node has died since the job was stored
	ended          *engine.Account
	expected, gone map[string]bool // by reports
	returned       map[string]bool
}

// fewMinions is the size of a tree up to which each minion is followed by name.
const fewMinions = 2000

// forgetUnreported clears the events that a crash has made void.
func (o *observed) forgetUnreported() {
	o.missed = ""
	for i := range o.said {
		s := &o.said[i]
		s.started, s.fresh, s.ended, s.restarted = s.begun, s.rows, nil, s.restarted || s.begun > 0 || s.rows > 0 || len(s.expected) > 0
	}
}

func (s *said) follow(into *map[string]bool, id string) {
	if *into == nil {
		*into = map[string]bool{}
	}
	(*into)[id] = true
}

// broken records a violation.
func (w *World) broken(format string, args ...any) {
	w.breaches = append(w.breaches, fmt.Errorf(format, args...))
}

// see observes an effect as it is carried out.
func (n *node) see(e engine.Effect) {
	missed := n.missed
	n.missed = ""
	if t, ok := e.(engine.SendReport); missed != "" && (!ok || t.From != "" || t.Word.Job() != missed) {
		n.w.broken("%s: minions missing %s are not reported at once", n.id, missed)
	}
	switch e := e.(type) {
	case engine.SendReport:
		n.seeReport(e, missed)
	case engine.Started:
		n.of(e.JID).started++
	case engine.Publish:
		n.seeStart(e.JID)
	case engine.Skip:
		n.seeStart(e.JID)
	case engine.NewReturn:
		s := n.of(e.Return.JID)
		s.fresh++
		s.ended = nil
		if len(n.w.ids) <= fewMinions {
			s.follow(&s.returned, e.Return.ID)
		}
	case engine.Missed:
		n.missed = e.JID
	case engine.Complete:
		n.seeEnd(e.Account)
	}
}

func (n *node) of(jid string) *said { return &n.said[n.w.byJID[jid].n] }

func (n *node) seeStart(jid string) {
	if s := n.of(jid); s.started != s.begun {
		n.w.broken("%s: %s was published %d times, with %d events", n.id, jid, s.begun, s.started)
	}
}

func (n *node) seeReport(t engine.SendReport, missed string) {
	s := n.of(t.Word.Job())
	switch x := t.Word.(type) {
	case jobevent.Expectation:
		s.ended = nil
		if len(n.w.ids) <= fewMinions {
			for _, id := range x.Minions {
				s.follow(&s.expected, id)
			}
			for id := range x.Unreachable {
				s.follow(&s.gone, id)
			}
		}
	case jobevent.Missing:
		s.ended = nil
		if t.From == "" && missed == "" && !s.again {
			n.w.broken("%s: reports that minions missed %s, which was not recorded for queues", n.id, x.JID)
		}
		if t.From == "" && missed != "" {
			n.seeNamed(x)
		}
		if f := n.w.o.Faults.loud(); t.From == "" && f.Lag > 0 && f == (Faults{Lag: f.Lag, Repeat: f.Repeat, Within: f.Within, For: f.For}) {
			n.seeSilent(x)
		}
		if len(n.w.ids) <= fewMinions {
			for id := range x.Minions {
				s.follow(&s.gone, id)
			}
		}
	}
}

// seeNamed checks that no connected peer is named as missing. A minion that got a queued job and
// still runs it at the deadline is named so.
func (n *node) seeNamed(x jobevent.Missing) {
	for id, why := range x.Minions {
		if m := n.present(id); why.Path == "" && why.Reason != engine.Expired && m != nil && m.tracked() && !n.w.o.moves() {
			n.w.broken("%s: names %s as missing for %s, which is connected: %s", n.id, id, x.JID, why.Reason)
		}
	}
	if n.w.o.moves() && n.w.o.Faults.Sick > 0 { // the report waits until the arrival of moved minions is stored
		return
	}
	for _, l := range n.downs {
		if x.Nodes[l.child.id] == jobevent.NodeUnreachable && l.greeted && l.seen && !l.child.said[n.w.byJID[x.JID].n].declined {
			n.w.broken("%s: names %s as unreachable for %s, which is connected", n.id, l.child.id, x.JID)
		}
	}
}

// seeSilent checks that no child is named as silent after its reports were acknowledged up to the
// end of the job.
func (n *node) seeSilent(x jobevent.Missing) {
	for _, l := range n.downs {
		// Each end but the last of a job that grows covers some slices only.
		if x.Nodes[l.child.id] != jobevent.NodeSilent || n.w.byJID[x.JID].inSlices() {
			continue
		}
		if l.acknowledged[x.JID] && !l.silent[x.JID] {
			n.w.broken("%s: names %s as silent for %s, although it has acknowledged the end", n.id, l.child.id, x.JID)
		}
		l.silent[x.JID] = true
	}
}

// seeEnd checks that everything in the account was reported before.
func (n *node) seeEnd(a engine.Account) {
	s := n.of(a.JID)
	if s.fresh < a.Returned+a.Failed {
		n.w.broken("%s: %s is complete with %d returns, but %d events", n.id, a.JID, a.Returned+a.Failed, s.fresh)
	}
	if was := s.ended; was != nil && was.Expected == a.Expected && was.Returned == a.Returned && was.Failed == a.Failed && maps.Equal(was.Missing, a.Missing) {
		n.w.broken("%s: %s is complete twice without a change between", n.id, a.JID)
	}
	s.ended = &a
	for i := range n.minions {
		m := &n.minions[i]
		at := n.w.byJID[a.JID]
		if _, gone := a.Missing[m.id()]; gone && m.connected && m.tracked() && *m.work(at) == working && !n.w.o.moves() && !n.w.o.Insist && at.Queue == 0 { // Insist repeats jobs to minions that are not waited for
			n.w.broken("%s: %s is complete without %s, which is running it", n.id, a.JID, m.id())
		}
	}
	if s.restarted || len(n.w.ids) > fewMinions {
		return
	}
	all := maps.Clone(s.expected)
	if all == nil {
		all = map[string]bool{}
	}
	maps.Copy(all, s.gone)
	maps.Copy(all, s.returned) // a return may arrive before the report that names its minion
	if len(all) < a.Expected {
		n.w.broken("%s: %s is complete with %d expected, but %d were reported", n.id, a.JID, a.Expected, len(all))
	}
	for id := range a.Missing {
		if !s.gone[id] {
			n.w.broken("%s: %s is complete without %s, which was not reported missing", n.id, a.JID, id)
			return
		}
	}
}

// checkSaid checks that each commit had exactly one event.
func (n *node) checkSaid(fail func(string, ...any)) {
	for i, s := range n.said {
		if j := n.w.jobs[i]; s.started != s.begun || s.fresh != s.rows {
			fail("%s: %s has %d start events for %d starts, %d return events for %d new returns", n.id, j.jid, s.started, s.begun, s.fresh, s.rows)
		}
	}
	for _, j := range n.w.jobs {
		if slices.ContainsFunc(j.parts(), func(s *job) bool { return n.kept[s] }) && n.waitsFor[j.jid] == "" {
			fail("%s still keeps the publication of %s, which has ended", n.id, j.jid)
		}
		if n.unreported[j.jid] {
			fail("%s has not reported the end of %s to all parents that requested it", n.id, j.jid)
		}
		if n.w.o.faulty() || j.invented {
			continue
		}
		for _, id := range sortedKeys(n.said[j.n].returned) {
			if s := n.said[j.n]; !s.expected[id] && !s.gone[id] {
				fail("%s has never reported that %s has to answer %s", n.id, id, j.jid)
				break
			}
		}
	}
}
