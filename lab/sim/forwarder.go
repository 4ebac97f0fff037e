package sim

import (
	"slices"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/origins"
	"github.com/momtree/mom/syndic/returns"
)

// The defaults of syndic_failover_after and syndic_failback.
const (
	failoverAfter = 5 * time.Second
	failback      = 30 * time.Second
)

// forwarder decides when the senders of a node start, and divides the returns among its parents. It
// lives as long as one life of the node.
type forwarder struct {
	gather   returns.Gather
	sharing  *returns.Sharing[*link]
	shifts   uint64
	sweeping bool
	accepted map[string]acceptance
}

// acceptance records which parents have accepted the reports of a closed job, up to report number word.
type acceptance struct {
	word  uint64
	links []*link
}

// forward starts the forwarder of one life.
func (n *node) forward() {
	n.way = &forwarder{accepted: map[string]acceptance{}, gather: returns.Gather{Rows: n.w.o.Bounds.ForwardRows}, sharing: returns.NewSharing(returns.SharingOptions[*link]{
		After: failoverAfter, Back: failback,
	})}
	if n.w.o.sabotage.forgetAskers {
		clear(n.origins)
	}
	for _, l := range n.ups {
		l.fresh()
	}
	if len(n.ups) > 1 { // a parent that is not back by then counts as gone
		n.after(int64(failoverAfter)+1e6, n.shift)
	}
	n.way.gather.Grown(0)
	n.after(int64(n.w.o.Gather), n.due) // rows of an earlier life
	n.sweepSoon()
}

// grown is called when the outbox may hold more rows.
func (n *node) grown() {
	rows, _ := n.disk.OutboxSize(dest)
	n.stats.outbox = max(n.stats.outbox, rows)
	if rows == 0 {
		return
	}
	n.sweepSoon()
	for _, l := range n.ups {
		rows -= l.over.Held()
	}
	arm, now := n.way.gather.Grown(rows)
	if arm {
		n.do(armGather, func() { n.after(int64(n.w.o.Gather), n.due) })
	}
	if now {
		n.flush()
	}
}

func (n *node) due() {
	n.way.gather.Due()
	n.flush()
}

// flush makes all senders send now, as when a job is complete.
func (n *node) flush() {
	for _, l := range n.ups {
		l.ring()
	}
}

// shift is called when a parent came or went: rows may have another owner.
func (n *node) shift() {
	if !n.alive {
		return
	}
	look := func() {
		n.way.shifts++
		n.flush()
	}
	if rows, _ := n.disk.OutboxSize(dest); len(n.ups) < 2 || rows == 0 {
		look()
		return
	}
	n.do(shiftOwners, look)
}

// sweepSoon schedules a search for rows that no sender picked up. It must find none.
func (n *node) sweepSoon() {
	rows := int64(0)
	for to, k := range n.disk.OutboxDests() {
		if !rejected(to) { // these are not sent
			rows += k
		}
	}
	if rows == 0 || n.way.sweeping {
		return
	}
	n.way.sweeping = true
	n.after(int64(n.w.o.Bounds.ForwardSweep), func() {
		n.way.sweeping = false
		for _, l := range n.ups {
			l.sweep()
		}
		n.sweepSoon()
	})
}

// askers returns the parents that a return is pending for: those that requested its job, or all if
// a minion brought it from another node. Compare syndic's parents.askers.
func (n *node) askers(it returners.Item) []*link {
	asked := n.origins[it.JID]
	if len(asked) > 0 || len(n.ups) < 2 || n.w.o.sabotage.queueForOne {
		return asked
	}
	via := ""
	if it.Return != nil {
		via = it.Return.Via
	}
	if strange, _ := origins.IsUnrequested(background, n.disk, it.JID, via); strange { // the disk does not fail
		return n.ups
	}
	return nil
}

// learn records on disk that the parent requested a job, and queues the returns that are already
// here for that parent. Compare syndic's parents.learn and link.early.
func (l *link) learn(j *job) {
	n := l.child
	asked := n.origins[j.jid]
	if !slices.Contains(asked, l) {
		n.do(noteAsker, func() {
			if asked := n.origins[j.jid]; !slices.Contains(asked, l) {
				n.origins[j.jid] = append(slices.Clip(asked), l)
			}
			l.backfills[j.jid] = struct{}{}
		})
		if len(asked) > 0 {
			n.w.reach(markTwoAsk)
		}
		n.point("after the requesting parent is recorded")
		l.backfill(j.jid)
		if len(n.ups) > 1 {
			n.shift()
		}
	}
}

// backfill queues the stored returns of a job for the parent, also those that another parent has
// accepted. Compare syndic's sender.owe.
func (l *link) backfill(jid string) {
	if l.w.o.sabotage.notAgain {
		return
	}
	if l.child.said[l.w.byJID[jid].n].rows == 0 {
		l.fill(jid)
		return
	}
	l.child.do(backfill, func() { l.fill(jid) })
}

func (l *link) fill(jid string) {
	n := l.child
	rows, err := n.disk.OutboxBackfill(background, l.dest, jid)
	if err != nil { // try again
		n.after(storePause, func() { l.backfill(jid) })
		return
	}
	if rows > 0 {
		n.w.reach(markBackfilled)
		n.point("after stored returns are queued for another parent")
		l.ring()
		n.sweepSoon()
	}
	delete(l.backfills, jid)
}
