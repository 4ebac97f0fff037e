package sim

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
	moves     bool // it is at a sibling, or looks for one: see World.visits
}

func (m *minion) kind() species { return m.n.w.kinds[m.n.lo+int(m.i)] }

// tracked tells whether the minion reports presence: hung ones do not.
func (m *minion) tracked() bool { return m.kind() != untracked && m.kind() != silent }

func (m *minion) work(j *job) *state { return &m.n.work[j.n][m.i] }

func (m *minion) taken(job int) { m.n.work[job][m.i] = answered }

// later schedules one of the events of minions.
func (m *minion) later(k kind, j *job, after int64) {
	m.n.w.schedule(event{kind: k, node: m.n.idx, life: m.n.life, min: m.i, job: int32(j.n)}, after)
}

// give hands a publication to a minion; first is when the node gets to it.
func (n *node) give(i int, j *job, first int64) {
	if n.w.o.meddle == nil {
		n.minions[i].later(deliver, j, first+n.w.o.Leaf.draw(n.w.rng))
	} else {
		n.do(giveMinion, func() { n.minions[i].later(deliver, j, first+n.w.o.Leaf.draw(n.w.rng)) })
	}
	n.count(down, n.w.publicationBytes(j))
}

func (n *node) delivered(i int, j *job) {
	if m := &n.minions[i]; m.connected { // else it has missed it
		m.take(j, n.w.homeStay[m])
	}
}

// take has a minion run a job that has reached it over one of its stays. What it
// knows runs once, but another stay is given the return too: minion/jobs/recent.go.
func (m *minion) take(j *job, stay int) {
	n, w := m.n, m.n.w
	j = j.root()
	fresh := w.hearsFirst(m, j, stay)
	if s := m.work(j); *s != idle && !w.o.sabotage.runAgain {
		if *s == answered && fresh {
			*s = owing
			m.send(j)
		}
		return
	}
	*m.work(j) = working
	if m.kind() == silent {
		return
	}
	run := j.Run.draw(w.rng)
	if m.kind() == slow {
		run += int64(w.o.Minions.SlowBy)
	}
	if !w.o.uncertain() {
		m.later(ran, j, run)
		return
	}
	// Its work goes on whatever becomes of the node.
	w.after(run, func() { n.hasRun(int(m.i), j) })
}

func (n *node) hasRun(i int, j *job) {
	m := &n.minions[i]
	*m.work(j) = owing
	j.setRan(n.lo + i)
	m.send(j)
}

// returnTimeout is after how long a minion that hears nothing sends again.
const returnTimeout = 5e9

// send passes a return to the node where the minion is; it waits if it is at none.
func (m *minion) send(j *job) {
	n := m.deliversTo()
	if n == nil {
		return
	}
	n.count(up, returnBytes(j))
	if n.w.o.uncertain() {
		n.w.after(returnTimeout, func() { m.sendAgain(j) })
	}
	if n.w.lost() {
		return
	}
	n.do(giveReturn, func() {
		if n == m.n {
			m.later(arrive, j, n.w.o.Leaf.draw(n.w.rng))
			return
		}
		n.after(n.w.o.Leaf.draw(n.w.rng), func() { n.arrived(m, j) })
	})
}

// deliversTo is the node to which a minion gives its returns now, nil if none.
func (m *minion) deliversTo() *node {
	if v := m.visit(); v != nil && v.host != nil {
		return v.deliversTo()
	}
	if m.connected && m.n.alive {
		return m.n
	}
	return nil
}

// hears tells whether the answer of a node reaches a minion.
func (m *minion) hears(n *node) bool {
	if n == m.n && m.connected {
		return true
	}
	v := m.visit()
	return v != nil && (n == v.host && v.here || n == m.n && v.home)
}

func (m *minion) sendAgain(j *job) {
	if *m.work(j) == owing {
		m.send(j)
	}
}

// listensTo tells whether a minion goes by what a node says of its returns: it gives
// them to one node at a time, and what another one still says of them counts no more
// (minion/delivery/takeover.go).
func (m *minion) listensTo(n *node) bool {
	v := m.visit()
	if v == nil || v.host == nil || v.home {
		return n == m.n
	}
	return n == v.host
}

// acknowledge tells a minion that its return is stored.
func (n *node) acknowledge(m *minion, j *job) {
	n.count(down, ackBytes)
	n.w.keepAcknowledged(n, m, j)
	switch {
	case !m.hears(n), n.w.lost():
	case !n.w.o.uncertain():
		m.taken(j.n) // nothing can happen to it on the way
	default:
		n.do(ackReturn, func() {
			n.w.after(n.w.o.Leaf.draw(n.w.rng), func() { // also if the node dies meanwhile
				if m.listensTo(n) || n.w.o.sabotage.twoDeliver {
					m.taken(j.n)
				}
			})
		})
	}
}

// drop cuts a minion off for d.
func (m *minion) drop(d int64) {
	n := m.n
	m.away = true
	n.w.faults++
	n.w.trace(n, "loses minion %s for %.3f s", n.minionID(int(m.i)), float64(d)/1e9)
	m.disconnect()
	if v := m.visit(); v != nil {
		v.disconnect()
		v.seekSoon()
	}
	n.w.after(d, func() {
		m.away = false
		m.reconnectSoon()
	})
}

// disconnect ends the connection to the home.
func (m *minion) disconnect() {
	n := m.n
	if !m.connected {
		return
	}
	m.connected = false
	if n.alive {
		n.noteMinion(m)
	}
	if n.alive && m.tracked() {
		n.do(minionLeft, func() { n.engine.MinionDown(n.minionID(int(m.i)), 0) })
		n.told()
	}
}

// reconnectSoon connects a minion to the node where it is when that lives.
func (m *minion) reconnectSoon() {
	if m.coming || m.connected {
		return
	}
	m.coming = true
	m.n.w.after(int64(200e6)+m.n.w.rng.Int64N(1800e6), func() {
		m.coming = false
		if v := m.visit(); v != nil && v.host != nil {
			v.reconnect()
			return
		}
		if m.n.alive && !m.away && !m.connected {
			m.connect()
		}
	})
}

// underWay are the jobs that a minion works on or owes the return of.
func (m *minion) underWay() map[string]bool {
	out := map[string]bool{}
	for i, s := range m.n.work {
		if s[m.i] == working || s[m.i] == owing {
			out[m.n.w.jobs[i].jid] = true
		}
	}
	return out
}

func (m *minion) connect() {
	n := m.n
	m.connected = true
	n.noteMinion(m)
	running := m.underWay()
	n.count(up, presenceBytes)
	if m.tracked() {
		n.do(minionCame, func() { n.engine.MinionUp(n.minionID(int(m.i)), running) })
	}
	if n.w.left[m] || n.w.homeStay[m] > 0 && !n.w.o.sabotage.quietReturn { // it comes back
		delete(n.w.left, m)
		n.adopt(m, running)
	}
	for _, j := range n.pubs { // what it has missed
		if m.lacks(j) && j.wants(n.lo+int(m.i)) && n.owes(j, n.minionID(int(m.i))) {
			n.give(int(m.i), j, 0)
		}
	}
	m.sendAll()
	n.told()
}

// lacks tells whether a minion that is at home is to be given a job that it has
// missed there; one that is new there may have had it elsewhere.
func (m *minion) lacks(j *job) bool {
	switch *m.work(j) {
	case idle:
		return true
	case answered:
		w := m.n.w
		return w.o.moves() && !w.heard[heardOf{m, j.root(), w.homeStay[m]}]
	}
	return false
}

// sendAll sends all returns that the minion owes.
func (m *minion) sendAll() {
	for _, j := range m.n.w.jobs {
		m.sendAgain(j)
	}
}

// owes reports whether a minion right below is given a publication that it has missed; the
// ledger waits for it again.
func (n *node) owes(j *job, id string) bool {
	if n.w.o.sabotage.noRepeat || !n.w.o.Insist && !n.engine.Expects(j.jid, id) && !n.wants(j, id) {
		return false
	}
	n.w.reach(markGivenAgain)
	n.do(giveAgain, func() { n.engine.Redelivered(j.jid, id) })
	return true
}

// owesNode is owes for a node right below.
func (n *node) owesNode(j *job, id string) bool {
	if n.w.o.sabotage.noRepeat || !n.w.o.Insist && !n.engine.ExpectsNode(j.jid, id) && !n.wantsNode(j, id) {
		return false
	}
	n.w.reach(markGivenAgain)
	n.do(giveAgain, func() { n.engine.RedeliveredNode(j.jid, id) })
	return true
}

// ask is a round of find_job among the minions of this node.
func (n *node) ask(jid string, ids []string) {
	j := n.w.byJID[jid]
	wait := n.spend(int64(len(ids)) * int64(n.w.o.Costs.Subscribe))
	for _, id := range ids {
		m := n.present(id)
		if m == nil || m.kind() == silent {
			continue
		}
		n.count(down, probeBytes)
		n.after(wait+2*n.w.o.Leaf.draw(n.w.rng), func() {
			if !m.hears(n) {
				return
			}
			n.count(up, probeBytes)
			s := *m.work(j)
			n.do(foundJob, func() { n.engine.Found(jid, id, s == working || s == owing) })
		})
	}
}
