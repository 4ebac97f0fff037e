package sim

import "slices"

// state is what a minion has to do with a job.
type state uint8

const (
	idle     state = iota // it has not got the job
	working               // it runs it
	owing                 // it has run it, and its return waits for the acknowledgement
	answered              // the return was acknowledged
)

// minion is one minion, a leaf. What it owes is on its disk.
type minion struct {
	n         *node
	i         int32 // among the minions of its node
	connected bool
	away      bool // a fault keeps it from connecting
	coming    bool // it is about to connect
}

func (m *minion) kind() species { return m.n.w.kinds[m.n.lo+int(m.i)] }

// tracked tells whether the minion reports presence: hung ones do not.
func (m *minion) tracked() bool { return m.kind() != untracked && m.kind() != silent }

func (m *minion) work(j *job) *state { return &m.n.work[j.n][m.i] }

func (m *minion) taken(job int) { m.n.work[job][m.i] = answered }

// later schedules one of the events of minions.
func (m *minion) later(k kind, j *job, after int64) {
	m.n.w.schedule(event{kind: k, node: m.n.idx, life: m.n.life, min: m.i, job: int32(j.n)}, after) //nolint:gosec // few jobs
}

// give hands a publication to a minion; first is when the node gets to it.
func (n *node) give(i int, j *job, first int64) {
	n.minions[i].later(deliver, j, first+n.w.o.Leaf.draw(n.w.rng))
	n.count(down, n.w.publicationBytes(j))
}

func (n *node) delivered(i int, j *job) {
	m := &n.minions[i]
	if !m.connected || *m.work(j) != idle && !n.w.o.sabotage.runAgain {
		return // missed, or known: a job runs once
	}
	*m.work(j) = working
	if m.kind() == silent {
		return
	}
	run := j.Run.draw(n.w.rng)
	if m.kind() == slow {
		run += int64(n.w.o.Minions.SlowBy)
	}
	w := n.w
	if !w.o.Faults.any() {
		m.later(ran, j, run)
		return
	}
	// Its work goes on whatever becomes of the node.
	w.after(run, func() { n.hasRun(i, j) })
}

func (n *node) hasRun(i int, j *job) {
	m := &n.minions[i]
	*m.work(j) = owing
	j.setRan(n.lo + i)
	m.send(j)
}

// returnTimeout is after how long a minion that hears nothing sends again.
const returnTimeout = 5e9

// send passes a return to the node if it is connected; it waits otherwise.
func (m *minion) send(j *job) {
	n := m.n
	if !m.connected || !n.alive {
		return
	}
	n.count(up, returnBytes(j))
	if n.w.lost() {
		n.after(returnTimeout, func() { m.sendAgain(j) })
		return
	}
	m.later(arrive, j, n.w.o.Leaf.draw(n.w.rng))
}

func (m *minion) sendAgain(j *job) {
	if *m.work(j) == owing {
		m.send(j)
	}
}

// acknowledge tells a minion that its return is stored.
func (m *minion) acknowledge(j *job) {
	n := m.n
	n.count(down, ackBytes)
	switch {
	case !m.connected:
	case n.w.lost():
		n.after(returnTimeout, func() { m.sendAgain(j) })
	case !n.w.o.Faults.any():
		m.taken(j.n) // nothing can happen to it on the way
	default:
		n.w.after(n.w.o.Leaf.draw(n.w.rng), func() { m.taken(j.n) }) // also if the node dies meanwhile
	}
}

// drop cuts a minion off for d.
func (m *minion) drop(d int64) {
	n := m.n
	m.away = true
	n.w.faults++
	n.w.trace(n, "loses minion %s for %.3f s", n.minionID(int(m.i)), float64(d)/1e9)
	if m.connected {
		m.connected = false
		if n.alive && m.tracked() {
			n.ledger.MinionDown(n.minionID(int(m.i)))
			n.told()
		}
	}
	n.w.after(d, func() {
		m.away = false
		m.reconnectSoon()
	})
}

// reconnectSoon connects a minion to its node when that lives.
func (m *minion) reconnectSoon() {
	if m.coming || m.connected {
		return
	}
	m.coming = true
	m.n.w.after(int64(200e6)+m.n.w.rng.Int64N(1800e6), func() {
		m.coming = false
		if m.n.alive && !m.away && !m.connected {
			m.connect()
		}
	})
}

func (m *minion) connect() {
	n := m.n
	m.connected = true
	running := map[string]bool{}
	for i, s := range n.work {
		if s[m.i] == working || s[m.i] == owing {
			running[n.w.jobs[i].jid] = true
		}
	}
	n.count(up, presenceBytes)
	if m.tracked() {
		n.ledger.MinionUp(n.minionID(int(m.i)), running)
	}
	for _, j := range n.pubs { // what it has missed
		if *m.work(j) == idle && j.wants(n.lo+int(m.i)) && n.owes(j, n.minionID(int(m.i))) {
			n.give(int(m.i), j, 0)
		}
	}
	for i := range n.work {
		m.sendAgain(n.w.jobs[i])
	}
	n.told()
}

// owes tells whether a minion or node right below is given a publication that it
// has missed; the ledger waits for it again.
func (n *node) owes(j *job, id string) bool {
	if n.w.o.sabotage.noRepeat || !n.w.o.Insist && !n.ledger.Owes(j.jid, id) {
		return false
	}
	n.ledger.Given(j.jid, id)
	return true
}

// ask is a round of find_job among the minions of this node.
func (n *node) ask(jid string, ids []string) {
	j := n.w.byJID[jid]
	wait := n.spend(int64(len(ids)) * int64(n.w.o.Costs.Subscribe))
	for _, id := range ids {
		g, ok := slices.BinarySearch(n.w.ids, id)
		i := g - n.lo
		if !ok || i < 0 || i >= len(n.minions) || !n.minions[i].connected || n.minions[i].kind() == silent {
			continue
		}
		n.count(down, probeBytes)
		n.after(wait+2*n.w.o.Leaf.draw(n.w.rng), func() {
			m := &n.minions[i]
			if !m.connected {
				return
			}
			n.count(up, probeBytes)
			s := *m.work(j)
			n.ledger.Found(jid, id, s == working || s == owing)
		})
	}
}
