package sim

// state is the state of a job at a minion.
type state uint8

const (
	idle     state = iota // the minion does not have the job
	working               // it runs the job
	owing                 // it has run the job; its return is not acknowledged
	answered              // its return was acknowledged
)

// minion is a leaf of the tree. Its pending returns are on its disk.
type minion struct {
	n         *node
	i         int32 // index among the minions of its node
	connected bool
	away      bool // a fault prevents it from connecting
	coming    bool // a connect is scheduled
	moves     bool // it is at a sibling, or looks for one: see World.visits
}

func (m *minion) kind() species { return m.n.w.kinds[m.n.lo+int(m.i)] }

// tracked reports whether the minion reports its presence. Silent ones do not.
func (m *minion) tracked() bool { return m.kind() != untracked && m.kind() != silent }

func (m *minion) work(j *job) *state { return &m.n.work[j.n][m.i] }

func (m *minion) taken(job int) { m.n.work[job][m.i] = answered }

// later schedules an event of the minion.
func (m *minion) later(k kind, j *job, after int64) {
	m.n.w.schedule(event{kind: k, node: m.n.idx, life: m.n.life, min: m.i, job: int32(j.n)}, after)
}

// give sends a publication to a minion. The node is busy with other work for first nanoseconds.
func (n *node) give(i int, j *job, first int64) {
	if n.w.o.meddle == nil {
		n.minions[i].later(deliver, j, first+n.w.o.Leaf.draw(n.w.rng))
	} else {
		n.do(giveMinion, func() { n.minions[i].later(deliver, j, first+n.w.o.Leaf.draw(n.w.rng)) })
	}
	n.count(down, n.w.publicationBytes(j))
}

func (n *node) delivered(i int, j *job) {
	if m := &n.minions[i]; m.connected { // otherwise it misses the job
		m.take(j, n.w.homeStay[m])
	}
}

// take makes a minion run a job that it received during one of its stays. It runs a known job only
// once, but sends its return again if the stay is a new one: minion/jobs/recent.go.
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
	// The run continues if the node dies.
	w.after(run, func() { n.hasRun(int(m.i), j) })
}

func (n *node) hasRun(i int, j *job) {
	m := &n.minions[i]
	*m.work(j) = owing
	j.setRan(n.lo + i)
	m.send(j)
}

// returnTimeout is how long a minion waits for an acknowledgement before it sends a return again.
const returnTimeout = 5e9

// send sends a return to the node where the minion is. It does nothing if the minion is at none.
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
	n.do(sendReturn, func() {
		if n == m.n {
			m.later(arrive, j, n.w.o.Leaf.draw(n.w.rng))
			return
		}
		n.after(n.w.o.Leaf.draw(n.w.rng), func() { n.arrived(m, j) })
	})
}

// deliversTo returns the node to which the minion sends its returns now, or nil.
func (m *minion) deliversTo() *node {
	if v := m.visit(); v != nil && v.host != nil {
		return v.deliversTo()
	}
	if m.connected && m.n.alive {
		return m.n
	}
	return nil
}

// hears reports whether messages of a node reach the minion.
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

// listensTo reports whether a minion accepts acknowledgements of a node. It sends its returns to one
// node at a time and ignores late answers of others (minion/delivery/takeover.go).
func (m *minion) listensTo(n *node) bool {
	v := m.visit()
	if v == nil || v.host == nil || v.home {
		return n == m.n
	}
	return n == v.host
}

// acknowledge confirms to a minion, after the latency, that its return is stored.
func (n *node) acknowledge(m *minion, j *job) {
	n.count(down, ackBytes)
	n.w.keepAcknowledged(n, m, j)
	switch {
	case !m.hears(n), n.w.lost():
	case !n.w.o.uncertain():
		m.taken(j.n) // the acknowledgement cannot get lost
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

// drop disconnects a minion for d.
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

// disconnect ends the connection to the minion's own node.
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
		n.runEffects()
	}
}

// reconnectSoon schedules a connect to the node where the minion is, if that node is alive.
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

// underWay returns the jobs that a minion runs or whose returns are pending.
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
		n.came(n.minionID(int(m.i)), running)
	}
	if n.w.left[m] || n.w.homeStay[m] > 0 && !n.w.o.sabotage.quietReturn { // it returns from a sibling
		delete(n.w.left, m)
		n.adopt(m, running)
	}
	for _, j := range n.pubs { // publications that it has missed
		if m.lacks(j) && j.wants(n.lo+int(m.i)) && n.resends(j, n.minionID(int(m.i))) {
			n.give(int(m.i), j, 0)
		}
	}
	m.sendAll()
	n.runEffects()
}

// lacks reports whether a minion at home needs a job that it has missed there. A minion that
// returned may have run the job elsewhere; it needs the job again to send its return here.
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

// sendAll sends all pending returns of the minion.
func (m *minion) sendAll() {
	for _, j := range m.n.w.jobs {
		m.sendAgain(j)
	}
}

// resends reports whether a minion of this node gets a publication that it has missed. If so, the
// ledger waits for the minion again.
func (n *node) resends(j *job, id string) bool {
	if n.w.o.sabotage.noRepeat || !n.w.o.Insist && !n.engine.Expects(j.jid, id) && !n.wants(j, id) {
		return false
	}
	n.w.reach(markGivenAgain)
	n.do(giveAgain, func() { n.engine.Redelivered(j.jid, id) })
	return true
}

// resendsToNode is resends for a child.
func (n *node) resendsToNode(j *job, id string) bool {
	if n.w.o.sabotage.noRepeat || !n.w.o.Insist && !n.engine.ExpectsNode(j.jid, id) && !n.wantsNode(j, id) {
		return false
	}
	n.w.reach(markGivenAgain)
	n.do(giveAgain, func() { n.engine.RedeliveredNode(j.jid, id) })
	return true
}

// ask sends find_job to minions of this node.
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
