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

// forwarder decides when the senders of a node begin, and shares the returns among
// its parents. It belongs to one life.
type forwarder struct {
	gather   returns.Gather
	sharing  *returns.Sharing[*link]
	shifts   uint64
	sweeping bool
	took     map[string]taking
}

// taking counts which parents have taken the words of a closed job up to one.
type taking struct {
	word  uint64
	links []*link
}

// forward begins a life of the forwarder.
func (n *node) forward() {
	n.way = &forwarder{took: map[string]taking{}, gather: returns.Gather{Rows: n.w.o.Bounds.ForwardRows}, sharing: returns.NewSharing(returns.SharingOptions[*link]{
		After: failoverAfter, Back: failback,
	})}
	if n.w.o.sabotage.forgetAskers {
		clear(n.origins)
	}
	for _, l := range n.ups {
		l.fresh()
	}
	if len(n.ups) > 1 { // those that do not come back within that time are gone from then on
		n.after(int64(failoverAfter)+1e6, n.shift)
	}
	n.way.gather.Grown(0)
	n.after(int64(n.w.o.Gather), n.due) // what an earlier life has left
	n.sweepSoon()
}

// grown tells that the outbox may hold more.
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

// shift tells that a parent came or went: rows may have got another owner.
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

// sweepSoon looks for rows that were passed over, or forgotten: there are none.
func (n *node) sweepSoon() {
	rows := int64(0)
	for to, k := range n.disk.OutboxDests() {
		if !rejected(to) { // nobody sends those
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

// askers are the parents that a return is owed to: those that asked for its job, or
// all if a minion has brought it from elsewhere: syndic's parents.askers.
func (n *node) askers(it returners.Item) []*link {
	asked := n.origins[it.JID]
	if len(asked) > 0 || len(n.ups) < 2 || n.w.o.sabotage.oweOne {
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

// learn notes who published a job, on the disk, and has the parent given what is
// here already: syndic's parents.learn and link.early.
func (l *link) learn(j *job) {
	n := l.child
	asked := n.origins[j.jid]
	if !slices.Contains(asked, l) {
		n.do(noteAsker, func() {
			if asked := n.origins[j.jid]; !slices.Contains(asked, l) {
				n.origins[j.jid] = append(slices.Clip(asked), l)
			}
			l.owed[j.jid] = struct{}{}
		})
		if len(asked) > 0 {
			n.w.reach(markTwoAsk)
		}
		n.point("after it is written down who asked")
		l.again(j.jid)
		if len(n.ups) > 1 {
			n.shift()
		}
	}
}

// again has the parent owed the returns of a job that are here, also those that
// another one has had: syndic's sender.owe.
func (l *link) again(jid string) {
	if l.w.o.sabotage.notAgain {
		return
	}
	if l.child.said[l.w.byJID[jid].n].rows == 0 {
		l.owe(jid)
		return
	}
	l.child.do(oweEarlier, func() { l.owe(jid) })
}

func (l *link) owe(jid string) {
	n := l.child
	rows, err := n.disk.OutboxBackfill(background, l.dest, jid)
	if err != nil { // it is still owed
		n.after(storePause, func() { l.again(jid) })
		return
	}
	if rows > 0 {
		n.w.reach(markOwedLater)
		n.point("after a further parent is owed what was here")
		l.ring()
		n.sweepSoon()
	}
	delete(l.owed, jid)
}
