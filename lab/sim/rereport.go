package sim

import (
	"slices"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/syndic/events"
)

// rereporting is the state of reports sent again to one parent; see the reporter in syndic/events.
type rereporting struct {
	rotation events.Rotation
	jid      string          // the job being reported; "": none
	rest     []jobevent.Word // its reports that are not queued yet
	broken   bool            // one of its reports was dropped, or a new one was queued
}

// reportAgain starts to report the open jobs again to a parent that is back, and the closed jobs
// whose end it has not accepted. It leaves out jobs that only other parents requested.
func (l *link) reportAgain() {
	if l.w.o.sabotage.keepSilent {
		return
	}
	l.child.do(reportAgain, func() { l.rotation.Begin(false) })
}

// put queues a report.
func (l *link) put(x jobevent.Word) {
	l.reports = append(l.reports, x)
	l.fit()
}

// fit drops the oldest reports while the queue is too long. All jobs are then reported again.
func (l *link) fit() {
	for len(l.reports) > max(l.w.o.Bounds.ReportQueue, 1) {
		l.broken = l.broken || l.jid != "" && l.jid == l.reports[0].Job()
		l.reports = l.reports[1:]
		l.w.reach(markReportLost)
		l.rotation.Begin(true)
	}
}

// answer reports to all parents that requested a job what the local master does not know.
func (n *node) answer(x jobevent.Word) {
	for _, l := range n.ups {
		if l.concerned(x.Job()) {
			l.answers = append(l.answers, x)
			l.sendReports()
		}
	}
}

// refill moves repeated reports into the queue while it has room.
func (l *link) refill() {
	for l.rotation.Active() {
		if n := len(l.reports) + l.inFlight; n > 0 && 2*n >= l.w.o.Bounds.ReportQueue {
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
			l.rotation.Done(l.jid)
			l.jid = ""
		default:
			x := l.rest[0]
			l.rest = l.rest[1:]
			if ends(x) {
				l.rotation.Done(l.jid)
			}
			l.put(x)
		}
	}
}

// choose selects the next job to report. It returns false if no job is left.
func (l *link) choose() bool {
	n := l.child
	jid, ok := l.rotation.Next(func(after string) string {
		if next := n.engine.Jobs(after, 1); len(next) > 0 {
			return next[0]
		}
		return ""
	})
	if !ok {
		return false
	}
	end, closed := n.engine.LastReport(jid)
	if t := n.way.accepted[jid]; !l.concerned(jid) || closed && t.word == end && slices.Contains(t.links, l) {
		l.rotation.Done(jid)
		return true
	}
	l.reports = slices.DeleteFunc(l.reports, func(x jobevent.Word) bool { return ends(x) && x.Job() == jid })
	l.jid, l.rest = jid, n.history(jid)
	return true
}
