package sim

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/sequence"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/syndic/events"
	"github.com/momtree/mom/syndic/returns"
	"github.com/momtree/mom/topology"
)

// direction is one way over an edge.
type direction int

const (
	up direction = iota
	down
)

// link is the edge between a node and its parent: the connection, the queue of
// what is told of jobs, and the sender of returns.
type link struct {
	w             *World
	child, parent *node
	dest          string // what the parent alone is owed by the child

	cut [2]bool // a partition, per direction

	standing bool // the connection is there
	epoch    int  // counts connections and their ends
	coming   bool // it is about to connect
	greeted  bool // the parent knows the node: what the child takes for up
	seen     bool // the parent takes the node for up
	lostAt   int64
	heard    int // publications of the parent that the child has taken in this life
	handed   int // those that were sent over this connection

	owed map[string]struct{} // jobs whose returns that were there before are to be given, on the child's disk

	late []undelivered // what a cut has kept

	// For the check: jobs whose end the parent has acknowledged, and those for which it
	// has named the child as silent.
	acknowledged, silent map[string]bool

	last [2]int64 // when the last message of each direction arrives: order is kept

	// Of this life of the child.
	offered  map[int]struct{}  // publications that the local master has not taken yet
	begun    map[*job]struct{} // publications that were begun to be handed on
	newest   int               // the newest publication that has come
	resting  bool
	since    int64 // of the last change between available and not
	patience time.Duration
	words    []jobevent.Word
	answers  []jobevent.Word // that nobody can tell again
	aloft    int             // words under way
	retelling
	numbers *sequence.Numbers
	telling bool
	*sending
	over *returns.Handover
}

var errSilence = errors.New("no answer in time")

// fresh begins a life of the child.
func (l *link) fresh() {
	n := l.child
	l.numbers = n.order.Numbers()
	l.resting, l.patience, l.words, l.answers, l.telling, l.aloft, l.since = false, 0, nil, nil, false, 0, l.w.now
	l.retelling = retelling{lap: events.NewRotation()}
	l.offered, l.begun = map[int]struct{}{}, map[*job]struct{}{}
	if !l.w.o.sabotage.keepHeard {
		l.heard = 0
	}
	l.newest = l.heard
	l.send()
	owed := sortedKeys(l.owed)
	if l.w.o.sabotage.forgetOwed {
		owed = nil
	}
	n.after(0, func() {
		for _, jid := range owed {
			l.again(jid)
		}
	})
}

// body is what of a return goes up.
func (l *link) body() returns.Body {
	if l.w.o.sabotage.wholeUp {
		return returns.Full
	}
	return l.w.o.Body
}

// settle makes the connection stand as if it had always been.
func (l *link) settle() {
	l.standing, l.greeted, l.seen = true, true, true
	l.epoch++
	l.lap.Begin(false)
	l.tellAgain() // there is nothing to tell as yet
}

func (l *link) halt() {
	l.sending.halt()
}

// live is what the parent's presence says of the node.
func (l *link) live() engine.Liveness {
	switch {
	case l.seen:
		return engine.Up
	case l.lostAt > 0 && l.w.now-l.lostAt < int64(l.w.o.Lease):
		return engine.Away
	}
	return engine.Down
}

// cutOff ends the connection; each end that lives hears of it at once.
func (l *link) cutOff() {
	if l.standing {
		l.standing = false
		l.epoch++
	}
	l.change(func() { l.greeted = false })
	if l.seen {
		l.seen, l.lostAt = false, l.w.now
		if p := l.parent; p.alive {
			l.w.trace(p, "loses %s", l.child.id)
			p.tree.SetNodeState(l.child.id, topology.Down)
			p.reportSoon()
			p.do(nodeLeft, func() { p.engine.NodeDown(l.child.id) })
			p.told()
		}
	}
	l.reconnectSoon()
}

// Available tells whether returns should go this way.
func (l *link) Available() bool { return l.greeted && !l.resting }

// GoneFor tells whether the parent has not been available for d, BackFor whether
// it has.
func (l *link) GoneFor(d time.Duration) bool {
	return !l.Available() && l.w.now-l.since >= int64(d)
}

// BackFor is described at GoneFor.
func (l *link) BackFor(d time.Duration) bool {
	return l.Available() && l.w.now-l.since >= int64(d)
}

// change alters what makes the parent available: syndic's link.change.
func (l *link) change(alter func()) {
	before := l.Available()
	alter()
	if l.Available() == before {
		return
	}
	l.since = l.w.now
	n := l.child
	n.shift()
	if len(n.ups) > 1 {
		wait := failoverAfter
		if !before {
			wait = failback
		}
		n.after(int64(wait)+1e6, n.shift)
	}
}

// reconnectSoon connects when both ends live and the edge is whole; it is called
// whenever one of these begins.
func (l *link) reconnectSoon() {
	if l.coming || l.standing {
		return
	}
	l.coming = true
	l.w.after(int64(200e6)+l.w.rng.Int64N(1800e6), func() {
		l.coming = false
		if l.standing || !l.child.alive || !l.parent.alive || l.cut[up] || l.cut[down] {
			return
		}
		l.connect()
	})
}

func (l *link) connect() {
	l.standing = true
	l.epoch++
	l.handed = l.heard
	l.w.trace(l.child, "connects to %s", l.parent.id)
	l.greet(l.epoch)
}

// greet makes the node known to the parent, which gives it what it has missed.
func (l *link) greet(epoch int) {
	c, p := l.child, l.parent
	tree := l.report()
	_, minions, _ := tree.Count()
	l.request(askGreeting, presenceBytes+int64(minions)*20, 0, func(answer func(wire.Raw, error)) {
		if !l.standing || l.epoch != epoch {
			return
		}
		if l.bars(answer) {
			return
		}
		l.seen = true
		p.claim(tree)
		p.do(nodeCame, func() { p.engine.NodeUp(c.id) })
		p.told()
		for l.handed < len(p.pubs) {
			j := p.pubs[l.handed]
			if _, known := l.begun[j]; !known && p.owesNode(j, c.id) {
				l.hand(j, 0)
			} else {
				l.handed++
			}
		}
		answer(wire.Raw{0xc0}, nil)
	}, func(_ wire.Raw, err error) {
		if !l.standing || l.epoch != epoch {
			return
		}
		if err != nil {
			c.after(int64(time.Second), func() {
				if l.standing && l.epoch == epoch {
					l.greet(epoch)
				}
			})
			return
		}
		l.retell()
		l.change(func() { l.greeted = true })
		c.shift()
		l.child.after(0, l.resume)
		l.tellOn()
	})
}

// arrival is when a message that leaves in d arrives, in order with those before.
func (l *link) arrival(dir direction, d int64) int64 {
	at := max(l.w.now+d+l.w.o.Edge.draw(l.w.rng), l.last[dir]+1)
	l.last[dir] = at
	return at - l.w.now
}

// hand sends a publication down.
func (l *link) hand(j *job, wait int64) {
	l.handed++
	epoch, serial := l.epoch, l.handed
	l.parent.count(down, l.w.publicationBytes(j))
	l.parent.do(giveNode, func() {
		l.w.after(l.arrival(down, wait), func() {
			if !l.standing || l.epoch != epoch || l.cut[down] || !l.child.alive {
				return
			}
			l.child.point("when a publication comes")
			l.take(j, serial)
		})
	})
}

// take has the child publish what has come.
func (l *link) take(j *job, serial int) {
	l.offered[serial], l.begun[j] = struct{}{}, struct{}{}
	l.newest = max(l.newest, serial)
	l.learn(j)
	l.insist(j, serial, insistFor)
}

// insistFor is how often a second apart a job is offered to the local master.
const insistFor = 10

// insist publishes a job on the local master, which may refuse it while its outbox
// is full, and tells the parent when it gives up, which of a queued job is at its deadline:
// syndic's link.publish and link.offer.
func (l *link) insist(j *job, serial, times int) {
	c := l.child
	answered := false
	answer := func(taken bool) {
		if answered {
			return
		}
		answered = true
		switch {
		case !taken && (times > 1 || l.w.o.Insist || c.wall().Before(j.deadline())):
			if times < 1 {
				c.w.reach(markQueuedLong)
			}
			c.after(int64(time.Second), func() { l.insist(j, serial, times-1) })
			return
		case !taken:
			c.w.reach(markDeclined)
			c.said[j.n].declined = true
			if !c.w.o.Faults.any() && c.w.o.OutboxRows == 0 {
				c.w.broken("%s gives up %s of %s, and nothing is wrong", c.id, j.jid, l.parent.id)
			}
			c.answer(jobevent.Missing{JID: j.jid, Nodes: map[string]jobevent.NodeState{"": jobevent.NodeUnreachable}})
		}
		delete(l.offered, serial)
		if l.heard = l.newest; len(l.offered) > 0 {
			l.heard = slices.Min(slices.Collect(maps.Keys(l.offered))) - 1
		}
	}
	c.after(int64(insistFor*time.Second), func() { // the command that publishes gives up
		if !answered {
			times = 1
			answer(false)
		}
	})
	c.publish(j, answer)
	c.told()
}
