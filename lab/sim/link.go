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

// link is the edge between a node and its parent: the connection, the queue of job reports, and
// the sender of returns.
type link struct {
	w             *World
	child, parent *node
	dest          string // outbox destination of rows for this parent alone

	cut [2]bool // a partition, per direction

	road *road // nil: a link inside a region

	standing bool // the connection exists
	epoch    int  // counts connects and disconnects
	coming   bool // a connect is scheduled
	greeted  bool // the child has the answer to its greeting: the parent is up
	seen     bool // the parent counts the child as up
	lostAt   int64
	heard    int // publications of the parent that the child has processed in this life

	backfills map[string]struct{} // jobs whose stored returns must still be queued for the parent, on the child's disk

	late []undelivered // requests held up by a cut

	// For Check: jobs whose end the parent has acknowledged, and jobs for which it has
	// named the child as silent.
	acknowledged, silent map[string]bool

	last [2]int64 // arrival of the last message, per direction: messages stay in order

	// State of this life of the child.
	offered  map[int]struct{}  // publications that the local master has not accepted yet
	begun    map[*job]struct{} // publications offered to the local master
	newest   int               // serial of the newest publication received
	resting  bool
	since    int64 // last change of Available
	patience time.Duration
	reports  []jobevent.Word
	answers  []jobevent.Word // reports that exist only in this queue
	inFlight int             // reports in the current request
	rereporting
	numbers     *sequence.Numbers
	reportsBusy bool // a request with reports is under way
	*sending
	over *returns.Handover
}

var errSilence = errors.New("no answer in time")

// fresh resets the state that belongs to one life of the child.
func (l *link) fresh() {
	n := l.child
	l.numbers = n.order.Numbers()
	l.resting, l.patience, l.reports, l.answers, l.reportsBusy, l.inFlight, l.since = false, 0, nil, nil, false, 0, l.w.now
	l.rereporting = rereporting{rotation: events.NewRotation()}
	l.offered, l.begun = map[int]struct{}{}, map[*job]struct{}{}
	if !l.w.o.sabotage.keepHeard {
		l.heard = 0
	}
	l.newest = l.heard
	l.send()
	backfills := sortedKeys(l.backfills)
	if l.w.o.sabotage.forgetBackfills {
		backfills = nil
	}
	n.after(0, func() {
		for _, jid := range backfills {
			l.backfill(jid)
		}
	})
}

// body returns which part of a return is sent up.
func (l *link) body() returns.Body {
	if l.w.o.sabotage.wholeUp {
		return returns.Full
	}
	return l.w.o.Body
}

// settle establishes the connection without messages, as at the start of the world.
func (l *link) settle() {
	l.standing, l.greeted, l.seen = true, true, true
	l.epoch++
	l.rotation.Begin(false)
	l.refill() // nothing is queued yet: this ends the rotation
}

func (l *link) halt() {
	l.sending.halt()
}

// live returns the state of the child in the presence of the parent.
func (l *link) live() engine.Liveness {
	switch {
	case l.seen:
		return engine.Up
	case l.lostAt > 0 && l.w.now-l.lostAt < int64(l.w.o.Lease):
		return engine.Away
	}
	return engine.Down
}

// cutOff ends the connection. Both ends that are alive notice at once.
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
			p.runEffects()
		}
	}
	l.reconnectSoon()
}

// Available reports whether returns should be sent to this parent.
func (l *link) Available() bool { return l.greeted && !l.resting }

// GoneFor reports whether the parent has been unavailable for d.
func (l *link) GoneFor(d time.Duration) bool {
	return !l.Available() && l.w.now-l.since >= int64(d)
}

// BackFor reports whether the parent has been available for d.
func (l *link) BackFor(d time.Duration) bool {
	return l.Available() && l.w.now-l.since >= int64(d)
}

// change calls alter, which may change Available, and handles the change: syndic's link.change.
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

// reconnectSoon schedules a connect if both ends are alive and the link is whole. It is called
// whenever one of these conditions may have become true.
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
	l.w.trace(l.child, "connects to %s", l.parent.id)
	l.greet(l.epoch)
}

// greet announces the child to the parent, which sends the publications that the child missed.
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
		p.runEffects()
		for _, j := range p.pubs[min(l.heard, len(p.pubs)):] {
			if _, known := l.begun[j]; !known && p.resendsToNode(j, c.id) {
				l.hand(j, 0)
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
		l.reportAgain()
		l.change(func() { l.greeted = true })
		c.reportSoon() // a greeting that was late has an old tree; syndic's announcer repeats its report
		c.shift()
		l.child.after(0, l.resume)
		l.sendReports()
	})
}

// arrival returns the delay until a message that leaves in d arrives, after all earlier ones.
func (l *link) arrival(dir direction, d, bytes int64) int64 {
	at := l.w.now + d
	if l.road != nil {
		at += l.road.delay(dir, at, bytes)
	} else {
		at += l.w.o.Edge.draw(l.w.rng)
	}
	at = max(at, l.last[dir]+1)
	l.last[dir] = at
	return at - l.w.now
}

// hand sends a publication down. One that is sent again keeps its serial.
func (l *link) hand(j *job, wait int64) { l.give(j, slices.Index(l.parent.pubs, j)+1, wait) }

// give sends a publication down under a serial.
func (l *link) give(j *job, serial int, wait int64) {
	epoch := l.epoch
	l.parent.count(down, l.w.publicationBytes(j))
	l.parent.do(giveNode, func() {
		l.w.after(l.arrival(down, wait, l.w.publicationBytes(j)), func() {
			if !l.standing || l.epoch != epoch || l.cut[down] || !l.child.alive {
				return
			}
			l.child.point("when a publication comes")
			l.take(j, serial)
		})
	})
}

// take makes the child publish a job from its parent.
func (l *link) take(j *job, serial int) {
	l.offered[serial], l.begun[j] = struct{}{}, struct{}{}
	l.newest = max(l.newest, serial)
	l.learn(j)
	l.learnShared(j)
	l.insist(j, serial, insistFor)
}

// insistFor is how often the child offers a job to its local master, one second apart.
const insistFor = 10

// insist publishes a job on the local master, which may refuse it while its outbox is full. Once
// the attempts are used up, for a queued job at its deadline, it reports the child as unreachable.
// Compare syndic's link.publish and link.offer.
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
			if !c.w.o.faulty() && c.w.o.OutboxRows == 0 {
				c.w.broken("%s gives up %s of %s without a fault", c.id, j.jid, l.parent.id)
			}
			c.answer(jobevent.Missing{JID: j.jid, Nodes: map[string]jobevent.NodeState{"": jobevent.NodeUnreachable}})
		}
		delete(l.offered, serial)
		if l.heard = l.newest; len(l.offered) > 0 {
			l.heard = slices.Min(slices.Collect(maps.Keys(l.offered))) - 1
		}
	}
	c.after(int64(insistFor*time.Second), func() { // the publishing command times out
		if !answered {
			times = 1
			answer(false)
		}
	})
	c.publish(j, answer)
	c.runEffects()
}
