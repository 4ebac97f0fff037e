package sim

import (
	"slices"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/syndic/events"
)

// retelling is the state of reports sent again to one parent; see the reporter in syndic/events.
type retelling struct {
	lap    events.Rotation
	jid    string          // the job being told; "": none
	rest   []jobevent.Word // what there is to tell of it still
	broken bool            // a word of it was lost, or came meanwhile
}

// retell tells a parent that is back who has to answer the open jobs that it asked
// for, or nobody did, and the closed ones of which it has not heard the end.
func (l *link) retell() {
	if l.w.o.sabotage.keepSilent {
		return
	}
	l.child.do(tellAnew, func() { l.lap.Begin(false) })
}

// put queues a word.
func (l *link) put(x jobevent.Word) {
	l.words = append(l.words, x)
	l.fit()
}

// fit drops the oldest words while too many wait: all is told anew then.
func (l *link) fit() {
	for len(l.words) > max(l.w.o.Bounds.TellQueue, 1) {
		l.broken = l.broken || l.jid != "" && l.jid == l.words[0].Job()
		l.words = l.words[1:]
		l.w.reach(markWordLost)
		l.lap.Begin(true)
	}
}

// answer tells all parents that asked for a job what the local master does not know.
func (n *node) answer(x jobevent.Word) {
	for _, l := range n.ups {
		if l.concerned(x.Job()) {
			l.answers = append(l.answers, x)
			l.tellOn()
		}
	}
}

// tellAgain puts what is to be told anew into the queue while there is room.
func (l *link) tellAgain() {
	for l.lap.Active() {
		if n := len(l.words) + l.aloft; n > 0 && 2*n >= l.w.o.Bounds.TellQueue {
			return
		}
		if l.broken {
			l.jid, l.rest, l.broken = "", nil, false
		}
		switch {
		case l.jid == "" && !l.choose():
			return
		case l.jid == "":
		case len(l.rest) == 0:
			l.lap.Done(l.jid)
			l.jid = ""
		default:
			x := l.rest[0]
			l.rest = l.rest[1:]
			if ends(x) {
				l.lap.Done(l.jid)
			}
			l.put(x)
		}
	}
}

// choose takes the job whose turn it is; false: there is none.
func (l *link) choose() bool {
	n := l.child
	jid, ok := l.lap.Next(func(after string) string {
		if next := n.engine.Jobs(after, 1); len(next) > 0 {
			return next[0]
		}
		return ""
	})
	if !ok {
		return false
	}
	end, closed := n.engine.LastReport(jid)
	if t := n.way.took[jid]; !l.concerned(jid) || closed && t.word == end && slices.Contains(t.links, l) {
		l.lap.Done(jid)
		return true
	}
	l.words = slices.DeleteFunc(l.words, func(x jobevent.Word) bool { return ends(x) && x.Job() == jid })
	l.jid, l.rest = jid, n.story(jid)
	return true
}
