package sim

import (
	"slices"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/topology"
)

// deadline returns the time until which a queued job is delivered, or zero for other jobs.
func (j *job) deadline() time.Time {
	if j.Queue == 0 {
		return time.Time{}
	}
	return start.Add(j.At + j.Queue).Truncate(time.Second)
}

// openQueues restores the publications of queued jobs that an earlier life has stored.
func (n *node) openQueues() {
	queued := false
	for _, j := range n.w.jobs {
		queued = queued || j.Queue > 0
	}
	if !queued {
		return
	}
	o := retention.Options{
		Keep: keepJobs, Log: n.w.log, Now: n.wall, Age: n.aged, Found: n.engine.KeepPublication, Dropped: n.unkeep,
		Steady: func() bool { return n.ages == nil || n.ages.Steady() },
	}
	kept, err := retention.Open(background, o, n.disk)
	n.must(err)
	n.queues = retention.NewQueues(kept, retention.QueuesOptions{Jobs: n.engine, Store: n.disk, Nodes: n.nodesBelow, Log: n.w.log})
	for _, r := range n.queues.Records() {
		n.tendAt(r.Until)
	}
}

// unkeep drops publications.
func (n *node) unkeep(parts ...returners.Part) {
	n.w.trace(n, "drops the publications of %v", parts)
	n.engine.DropPublications(parts...)
}

func (n *node) nodesBelow() (ids []string) {
	for _, l := range n.downs {
		ids = append(ids, l.child.id)
	}
	return ids
}

// rememberNode restores who was behind a child in an earlier life, as the claims of a master do.
// Queues need it for minions that are away.
func (n *node) rememberNode(former *topology.Tree, id string) {
	if n.queues == nil {
		return
	}
	if tree, known := former.Node(id); known {
		n.tree.SetNode(tree)
	}
}

// tendEvery is the longest time between two checks of the deadlines of queued jobs, by clocks that
// may jump.
const tendEvery = 7 * time.Hour

// tendAt schedules a check of the deadlines at the given time by the current wall clock.
func (n *node) tendAt(until time.Time) {
	n.after(min(max(int64(until.Sub(n.wall())), int64(time.Second)), int64(tendEvery)), n.tend)
}

// tend ends the queued jobs whose deadline has passed, and schedules the next check.
func (n *node) tend() {
	if n.queues == nil {
		return
	}
	n.queues.Tend()
	n.runEffects()
	rest := n.queues.Records()
	if len(rest) == 0 {
		return
	}
	next := slices.MinFunc(rest, func(a, b retention.Record) int { return a.Until.Compare(b.Until) }).Until
	if !n.wall().Before(next) { // by a clock that is not trusted
		next = n.wall().Add(tendEvery)
	}
	n.tendAt(next)
}

// retain returns the record to store with the publication of a queued job.
func (n *node) retain(j *job) []byte {
	if j.Queue == 0 {
		return nil
	}
	stored, err := n.queues.Put(retention.Record{JID: j.jid, At: n.aged(), Until: j.deadline(), Pub: j.load})
	n.must(err) // there is room
	n.tendAt(j.deadline())
	return stored
}

// handedOut records that the publication of a queued job was sent.
func (n *node) handedOut(j *job) {
	if j.Queue == 0 {
		return
	}
	n.queues.Number(returners.Part{JID: j.jid})
	if n.queues.Published(returners.Part{JID: j.jid}) {
		n.engine.Published(returners.Part{JID: j.jid})
	}
}

// queueAway queues a job for peers that were found away.
func (n *node) queueAway(e engine.Missed) {
	if n.queues != nil {
		n.queues.QueueAway(e.JID, e.Minions, e.Nodes)
	}
}

// queueAnswered records that a minion has returned a job.
func (n *node) queueAnswered(jid, id string) {
	if n.queues != nil {
		n.queues.QueueAnswered(jid, id)
	}
}

// queueHeard records which minions a child found for a job.
func (n *node) queueHeard(from string, x jobevent.Expectation) {
	if n.queues != nil {
		n.queues.QueueHeard(from, x)
	}
}

// wantsNode reports whether a job is queued for a child, which gets it then.
func (n *node) wantsNode(j *job, id string) bool {
	if n.queues == nil || !n.queues.WantsNode(j.jid, id) {
		return false
	}
	n.w.reach(markQueued)
	return true
}

// wants reports whether a job is queued for a minion, which gets it then.
func (n *node) wants(j *job, id string) bool {
	if n.queues == nil || !n.queues.Wants(j.jid, id) {
		return false
	}
	n.w.reach(markQueued)
	n.queues.Sent(j.jid, id)
	return true
}

// over drops the publication of an ended job unless it is queued.
func (n *node) over(j *job) {
	for _, s := range j.parts() {
		n.kept[s] = false
	}
	if j.Queue > 0 {
		n.queues.Over(j.jid)
	}
}

// checkQueued checks that a queued job has reached the peers it was queued for, and that no queue
// remains.
func (w *World) checkQueued(j *job, r *run, fail func(string, ...any)) {
	if j.Queue == 0 {
		return
	}
	for _, n := range w.nodes {
		for _, q := range n.queues.Queued() {
			if q.JID == j.jid {
				fail("job %s is still queued at %s for minions %v, nodes %v and minions below %v, past its deadline", j.jid, n.id, q.Minions, q.Nodes, q.Below)
			}
		}
		for _, jid := range n.noted(returners.NotePublication) {
			if jid == j.jid {
				fail("%s still keeps the publication of %s, past its deadline", n.id, jid)
			}
		}
	}
	has := w.holds(r.top, j)
	for _, id := range sortedKeys(r.account.missing) {
		if has.has(w.index(id)) {
			continue
		}
		why := r.account.missing[id].Reason
		if later, some := r.account.late[id]; some {
			why = later
		}
		if why == engine.Queued {
			fail("job %s at %s: %s is still queued at the end", j.jid, r.top.id, id)
			return
		}
	}
	if j.Queue < longQueue || w.o.Faults.Clocks > 0 {
		return
	}
	for _, id := range sortedKeys(r.account.missing) {
		g := w.index(id)
		if k := w.kinds[g]; r.account.missing[id].Reason == engine.Expired && !j.hasRun(g) && k != dead && k != silent {
			fail("job %s at %s: %s was back long before the deadline and has not run it", j.jid, r.top.id, id)
			return
		}
	}
}

// longQueue is longer than any peer is away.
const longQueue = 30 * time.Minute
