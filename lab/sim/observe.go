package sim

import (
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/engine"
)

// observed is what who follows the events of a node has seen.
type observed struct {
	said   []said          // by job
	missed string          // the last effect was that minions miss this job
	untold map[string]bool // in the end: jobs whose end has not been heard
}

// said is what was said of one job. A node that dies does not say any more what it
// had committed, so what it owed is forgiven then.
type said struct {
	begun, started int  // it was begun, or came again; the event of that
	rows, fresh    int  // stored returns that were new; the events of those
	again          bool // it came a second time: what is known of it is told once more
	declined       bool // the node told that it does not take it
	restarted      bool // the node has died since the job was stored
	ended          *engine.Account
	expected, gone map[string]bool // by words
	returned       map[string]bool
}

// fewMinions is for how large a tree each minion is followed by its name.
const fewMinions = 2000

// forgetUntold is what a death does.
func (o *observed) forgetUntold() {
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

// broken notes that something happened that must not.
func (w *World) broken(format string, args ...any) {
	w.breaches = append(w.breaches, fmt.Errorf(format, args...))
}

// see follows an effect as it is carried out.
func (n *node) see(e engine.Effect) {
	missed := n.missed
	n.missed = ""
	if t, ok := e.(engine.SendReport); missed != "" && (!ok || t.From != "" || t.Word.Job() != missed) {
		n.w.broken("%s: what minions miss of %s is not told at once", n.id, missed)
	}
	switch e := e.(type) {
	case engine.SendReport:
		n.seeWord(e, missed)
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
		n.w.broken("%s: %s was begun %d times and told of %d times when it was published", n.id, jid, s.begun, s.started)
	}
}

func (n *node) seeWord(t engine.SendReport, missed string) {
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
			n.w.broken("%s: tells that minions miss %s, which was not noted for queues", n.id, x.JID)
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

// seeNamed wants nobody to be named as gone who is there: the account was told of all
// who came. One that was given a queued job and is at work at its deadline is named so.
func (n *node) seeNamed(x jobevent.Missing) {
	for id, why := range x.Minions {
		if m := n.present(id); why.Path == "" && why.Reason != engine.Expired && m != nil && m.tracked() && !n.w.o.moves() {
			n.w.broken("%s: names %s as missing for %s, which is connected: %s", n.id, id, x.JID, why.Reason)
		}
	}
	if n.w.o.moves() && n.w.o.Faults.Sick > 0 { // what was found is told when it is stored who came at work
		return
	}
	for _, l := range n.downs {
		if x.Nodes[l.child.id] == jobevent.NodeUnreachable && l.greeted && l.seen && !l.child.said[n.w.byJID[x.JID].n].declined {
			n.w.broken("%s: names %s as unreachable for %s, which is connected", n.id, l.child.id, x.JID)
		}
	}
}

// seeSilent wants no node to be named as silent that has told all it had to say: what was
// acknowledged is kept.
func (n *node) seeSilent(x jobevent.Missing) {
	for _, l := range n.downs {
		// Of a job that grows each end but the last is that of some slices.
		if x.Nodes[l.child.id] != jobevent.NodeSilent || n.w.byJID[x.JID].inSlices() {
			continue
		}
		if l.acknowledged[x.JID] && !l.silent[x.JID] {
			n.w.broken("%s: names %s as silent for %s, of which it has acknowledged the end", n.id, l.child.id, x.JID)
		}
		l.silent[x.JID] = true
	}
}

// seeEnd wants all that the account holds to be told before.
func (n *node) seeEnd(a engine.Account) {
	s := n.of(a.JID)
	if s.fresh < a.Returned+a.Failed {
		n.w.broken("%s: %s is complete with %d returns, %d were told of", n.id, a.JID, a.Returned+a.Failed, s.fresh)
	}
	if was := s.ended; was != nil && was.Expected == a.Expected && was.Returned == a.Returned && was.Failed == a.Failed && maps.Equal(was.Missing, a.Missing) {
		n.w.broken("%s: %s is complete twice, and nothing has happened between", n.id, a.JID)
	}
	s.ended = &a
	for i := range n.minions {
		m := &n.minions[i]
		at := n.w.byJID[a.JID]
		if _, gone := a.Missing[m.id()]; gone && m.connected && m.tracked() && *m.work(at) == working && !n.w.o.moves() && !n.w.o.Insist && at.Queue == 0 { // which gives what is not owed, too
			n.w.broken("%s: %s is complete without %s, which is at work on it", n.id, a.JID, m.id())
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
	maps.Copy(all, s.returned) // a return may overtake the word on its minion
	if len(all) < a.Expected {
		n.w.broken("%s: %s is complete with %d expected, %d were told of", n.id, a.JID, a.Expected, len(all))
	}
	for id := range a.Missing {
		if !s.gone[id] {
			n.w.broken("%s: %s is complete without %s, of which nothing was told", n.id, a.JID, id)
			return
		}
	}
}

// checkSaid wants one event for each thing that was committed.
func (n *node) checkSaid(fail func(string, ...any)) {
	for i, s := range n.said {
		if j := n.w.jobs[i]; s.started != s.begun || s.fresh != s.rows {
			fail("%s: of %s %d beginnings were told, there were %d; %d new returns, there were %d", n.id, j.jid, s.started, s.begun, s.fresh, s.rows)
		}
	}
	for _, j := range n.w.jobs {
		if slices.ContainsFunc(j.parts(), func(s *job) bool { return n.kept[s] }) && n.waitsFor[j.jid] == "" {
			fail("%s keeps the publication of %s, which is over", n.id, j.jid)
		}
		if n.untold[j.jid] {
			fail("%s has not told the end of %s to all who asked", n.id, j.jid)
		}
		if n.w.o.Faults.any() || j.invented {
			continue
		}
		for _, id := range sortedKeys(n.said[j.n].returned) {
			if s := n.said[j.n]; !s.expected[id] && !s.gone[id] {
				fail("%s has never told that %s has to answer %s", n.id, id, j.jid)
				break
			}
		}
	}
}
