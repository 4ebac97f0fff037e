package sim

import (
	"slices"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/handover"
)

// The defaults of syndic_failover_after and syndic_failback, and how often it is
// seen to that no row of the outbox was passed over.
const (
	failoverAfter = 5 * time.Second
	failback      = 30 * time.Second
	sweepEvery    = 30 * time.Second
)

// forwarder decides when the senders of a node begin, and shares the returns among
// its parents. It belongs to one life.
type forwarder struct {
	gather   handover.Gather
	sharing  *handover.Sharing[*link]
	shifts   uint64
	sweeping bool
	took     map[string]taking
}

// taking counts which parents have taken the words of a closed job up to one.
type taking struct {
	word  int
	links []*link
}

// forward begins a life of the forwarder.
func (n *node) forward() {
	n.way = &forwarder{took: map[string]taking{}, sharing: handover.NewSharing(handover.SharingOptions[*link]{
		After: failoverAfter, Back: failback, Now: n.w.clock,
	})}
	if n.w.o.sabotage.forgetAskers {
		clear(n.origins)
	}
	for _, l := range n.ups {
		l.fresh()
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
	arm, now := n.way.gather.Grown(rows - n.way.sharing.Owed())
	if arm {
		n.after(int64(n.w.o.Gather), n.due)
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
	if n.alive {
		n.way.shifts++
		n.flush()
	}
}

// sweepSoon looks after rows that every sender takes for another one's. One parent
// owns them all.
func (n *node) sweepSoon() {
	rows, _ := n.disk.OutboxSize(dest)
	if rows == 0 || n.way.sweeping || len(n.ups) < 2 {
		return
	}
	n.way.sweeping = true
	n.after(int64(sweepEvery), func() {
		n.way.sweeping = false
		if seqs := n.way.sharing.Overdue(); len(seqs) > 0 {
			n.w.trace(n, "keeps %d returns no longer for a parent that is away", len(seqs))
			_ = n.disk.OutboxAck(background, dest, seqs) // it does not fail
		}
		n.shift()
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
	if strange, _ := handover.Stranger(background, n.disk, it.JID, via); strange { // the disk does not fail
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
		n.origins[j.jid] = append(slices.Clip(asked), l)
		l.owed[j.jid] = struct{}{}
		n.point("after it is written down who asked")
		l.again(j.jid)
	}
}

// again gives the parent the returns of a job that are here, also those that
// another one has had.
func (l *link) again(jid string) {
	if l.w.o.sabotage.notAgain {
		return
	}
	some := false
	l.child.disk.EachReturn(jid, func(returners.Return) { some = true })
	if !some {
		delete(l.owed, jid)
		return
	}
	l.asked = append(l.asked, jid)
	l.ring()
}

// giveAgain sends what was asked for; what the parent does not take stays:
// syndic's sender of that name.
func (l *link) giveAgain(over *handover.Sender) error {
	for len(l.asked) > 0 {
		jid := l.asked[0]
		rets, err := l.child.disk.GetReturns(background, jid)
		if err != nil {
			return err
		}
		rows := make([]returners.Item, 0, len(rets))
		for _, r := range rets {
			rows = append(rows, returners.Item{Kind: returners.KindReturn, JID: r.JID, ID: r.ID, Payload: r.Full, Return: &r})
		}
		if err := over.Again(background, rows); err != nil {
			return err
		}
		l.asked = l.asked[1:]
		delete(l.owed, jid)
	}
	return nil
}
