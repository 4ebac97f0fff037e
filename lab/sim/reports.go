package sim

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/sequence"
	"github.com/momtree/mom/internal/wire"
)

// reportBytes estimates the size of a report on the wire.
func reportBytes(w jobevent.Word) int64 {
	n := 120
	switch w := w.(type) {
	case jobevent.Expectation:
		if len(w.Minions) > 0 {
			n += len(w.Minions) * (len(w.Minions[0]) + 1)
		}
		n += 20*len(w.Asked) + 30*len(w.Unreachable)
	case jobevent.Missing:
		n += 50*len(w.Minions) + 30*len(w.Nodes)
	}
	return int64(n)
}

// queueReport queues a report for every parent that it concerns, the end of a job for every parent,
// and sends it at once where possible. Compare syndic's listener.forward.
func (n *node) queueReport(w jobevent.Word) {
	s := n.w.o.sabotage
	c, closed := w.(jobevent.Closed)
	if closed && s.forgetClosed {
		n.engine.ReportsAccepted(c.JID, c.Word)
		return
	}
	if x, expected := w.(jobevent.Expectation); expected {
		n.oweMoved(x)
	}
	for _, l := range n.ups {
		if closed || l.concerned(w.Job()) || s.reportToAll {
			l.queueReport(w)
		}
	}
}

// concerned reports whether a parent should get the reports of a job: syndic's link.concerns.
func (l *link) concerned(jid string) bool {
	asked := l.child.origins[jid]
	return len(asked) == 0 || slices.Contains(asked, l)
}

func (l *link) queueReport(w jobevent.Word) {
	l.broken = l.broken || l.jid != "" && l.jid == w.Job() // the rest of its repeated reports is older
	l.put(w)
	l.sendReports()
}

// sendReports sends the queued reports, one request at a time. Closed reports stay here: when one
// reaches the head of the queue, the parent has accepted all reports before it.
func (l *link) sendReports() {
	l.refill()
	from := &l.answers
	if len(*from) == 0 {
		from = &l.reports
	}
	if l.reportsBusy || !l.greeted || len(*from) == 0 {
		return
	}
	l.reportsBusy = true
	all := slices.Clone((*from)[:min(len(*from), l.w.o.Bounds.ReportBatch)])
	*from = (*from)[len(all):]
	all = slices.DeleteFunc(all, func(x jobevent.Word) bool { return ends(x) && !l.rotation.Counts(x.Job()) })
	l.inFlight = len(all)
	var batch []jobevent.Word
	var closed []jobevent.Closed
	size := int64(0)
	for _, x := range all {
		if c, end := x.(jobevent.Closed); end {
			closed = append(closed, c)
			continue
		}
		batch = append(batch, x)
		size += reportBytes(x)
	}
	taken := func() {
		l.reportsBusy, l.inFlight = false, 0
		for _, x := range closed {
			l.child.ended(l, x)
		}
		l.sendReports()
	}
	if len(batch) == 0 {
		taken()
		return
	}
	mark := l.numbers.Next()
	l.request(askReports, size, 0, func(answer func(wire.Raw, error)) { l.parent.hear(l, mark, batch, answer) }, func(v wire.Raw, err error) {
		l.numbers.Done(mark)
		if _, late := sequence.ReadLate(v); err == nil && !late && wire.IsNil(v) {
			taken()
			return
		}
		rest := batch
		for _, x := range closed {
			rest = append(rest, x)
		}
		*from = append(rest, *from...)
		l.fit()
		l.child.after(int64(200e6), func() {
			l.reportsBusy, l.inFlight = false, 0
			l.sendReports()
		})
	})
}

func ends(w jobevent.Word) bool {
	_, closed := w.(jobevent.Closed)
	return closed
}

// hear stores the reports of a child and then acknowledges them: master.takeEvents.
func (n *node) hear(l *link, mark sequence.Mark, batch []jobevent.Word, answer func(wire.Raw, error)) {
	s := n.w.o.sabotage
	if l.bars(answer) {
		return
	}
	leave, err := n.gate.Enter(l.child.id, mark)
	if late := (sequence.Late{}); errors.As(err, &late) && !s.hearLate {
		n.w.reach(markLate)
		answer(wire.Encode(late.Answer()))
		return
	}
	if err == nil {
		defer leave()
	}
	if n.engine.Untried() > n.w.o.Bounds.WordQueue {
		n.w.reach(markCrowd)
		answer(nil, errNotStored)
		return
	}
	upTo := n.receiveReports(l, batch)
	if s.ackUnbooked {
		upTo = 0
	}
	n.engine.WhenStored(upTo, func(err error) {
		if err != nil {
			answer(nil, errNotStored)
			return
		}
		answer(wire.Raw{0xc0}, nil)
	})
	n.runEffects()
}

// receiveReports passes reports to the engine in order, and returns the number up to which all
// reports must be stored: intake's receiveFromNode.
func (n *node) receiveReports(l *link, batch []jobevent.Word) (upTo uint64) {
	s := n.w.o.sabotage
	for _, w := range batch {
		switch w := n.allowed(l.child.id, w).(type) {
		case jobevent.Expectation:
			w.Moved = w.Moved && !s.movedIsPlain
			if hit(s.forget) {
				n.queueReport(w.Under(l.child.id))
				continue
			}
			if n.holdsAny(w) {
				n.w.reach(markEarlyReturn)
			}
			upTo = n.engine.ReceiveReports(l.child.id, w)
			n.queueHeard(l.child.id, w)
		case jobevent.Missing:
			upTo = n.engine.ReceiveReports(l.child.id, w)
		}
	}
	return upTo
}

// holdsAny reports whether the node has returns of a job whose expectation arrives only now.
func (n *node) holdsAny(x jobevent.Expectation) bool {
	return n.said[n.w.byJID[x.JID].n].rows > 0
}

// errNotStored is the answer of a master that cannot store now.
var errNotStored = fmt.Errorf("%w: not stored", channel.ErrNotNow)

// ended records that a parent has accepted the reports of a closed job. Once all that requested it
// have, the job is not reported again. Compare syndic's closings.note.
func (n *node) ended(l *link, x jobevent.Closed) {
	l.acknowledged[x.JID] = true
	t := n.way.accepted[x.JID]
	if t.word > x.Word {
		return
	}
	if t.word < x.Word {
		t = acceptance{word: x.Word}
	}
	t.links = append(t.links, l)
	n.way.accepted[x.JID] = t
	for _, a := range n.origins[x.JID] {
		if !slices.Contains(t.links, a) && !n.w.o.sabotage.oneHasHeard {
			return
		}
	}
	delete(n.way.accepted, x.JID)
	n.do(endAccepted, func() {
		n.engine.ReportsAccepted(x.JID, x.Word)
		n.storeSoon()
	})
}

// history returns all reports of a job from its start.
func (n *node) history(jid string) (out []jobevent.Word) {
	word, closed := n.engine.LastReport(jid) // read first: everything up to this report is stored
	for w, err := range n.engine.History(background, jid, n.w.o.Bounds.ReportMinions) {
		n.must(err)
		if x, expected := w.(jobevent.Expectation); expected {
			x.Partial = x.Partial && !n.w.o.sabotage.completeReports
			w = x
		}
		out = append(out, w)
	}
	if closed {
		out = append(out, jobevent.Closed{JID: jid, Word: word})
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
