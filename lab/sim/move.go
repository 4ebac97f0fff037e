package sim

import (
	"cmp"
	"slices"
)

// movers holds the state of minions that move. Few do, so it is kept apart from the minions.
type movers struct {
	visits map[*minion]*visit
	left   map[*minion]bool // minions that announced their move at home, on the home's disk
	// stays counts the connections that each minion began by moving. homeStay is the number
	// of the last connection to its home. heard records over which of them a job arrived.
	stays, homeStay map[*minion]int
	heard           map[heardOf]bool
	// acked records, where minions move, the nodes that acknowledged a return.
	acked map[*minion]map[*job][]*node
}

type heardOf struct {
	m    *minion
	j    *job
	stay int
}

func newMovers() movers {
	return movers{
		visits: map[*minion]*visit{}, left: map[*minion]bool{}, acked: map[*minion]map[*job][]*node{},
		stays: map[*minion]int{}, homeStay: map[*minion]int{}, heard: map[heardOf]bool{},
	}
}

// hearsFirst records that a job arrived over a stay, and reports whether it is the first time.
func (w *World) hearsFirst(m *minion, j *job, stay int) bool {
	if !w.o.moves() {
		return false
	}
	k := heardOf{m, j, stay}
	first := !w.heard[k]
	w.heard[k] = true
	return first
}

// visit is the stay of a minion at a sibling of its home, or its search for one:
// minion/failover/known.go.
type visit struct {
	m       *minion
	host    *node // nil while it searches
	turn    int   // counts the connections; events of earlier ones are void
	stay    int   // number of this stay
	here    bool  // it is subscribed at the host
	known   bool  // the host has processed its announcement
	greeted bool  // it has the answer: it sends its returns to the host
	home    bool  // it is on its way home, and sends its returns there
	looks   bool  // a search is scheduled
	astray  bool  // it cannot reach its home, but can reach its siblings
	until   int64 // it does not go home before
}

func (m *minion) visit() *visit {
	if !m.moves {
		return nil
	}
	return m.n.w.visits[m]
}

func (m *minion) begin() *visit {
	v := m.visit()
	if v == nil {
		v = &visit{m: m}
		m.moves, m.n.w.visits[m] = true, v
	}
	return v
}

// end removes a visit: the minion is at home, or waits for it.
func (v *visit) end() {
	m := v.m
	v.turn++
	m.moves = false
	delete(m.n.w.visits, m)
}

// seekSoon schedules the search of a minion that has lost its home, between rehome_after and twice
// that time from now.
func (m *minion) seekSoon() {
	if m.n.w.o.Rehome <= 0 || m.moves || m.connected || !m.tracked() || m.kind() == dead {
		return
	}
	m.begin().seekSoon()
}

func (v *visit) seekSoon() {
	if v.looks {
		return
	}
	v.looks = true
	w := v.m.n.w
	w.after(int64(w.o.Rehome)+w.rng.Int64N(int64(w.o.Rehome)), func() {
		v.looks = false
		if w.visits[v.m] == v {
			v.seek()
		}
	})
}

// seek goes home, or to a sibling, or tries again later.
func (v *visit) seek() {
	m := v.m
	switch {
	case v.here || v.home:
		return
	case v.host == nil && (m.connected || v.reaches(m.n)): // it reconnects without moving
		v.end()
		m.reconnectSoon()
		return
	case v.host != nil && v.reaches(m.n):
		v.goHome()
		return
	}
	for _, n := range m.siblings() {
		if n != v.host && v.reaches(n) {
			v.moveTo(n)
			return
		}
	}
	v.seekSoon()
}

// reaches reports whether the minion can reach a node.
func (v *visit) reaches(n *node) bool {
	return n.alive && (!v.m.away || v.astray && n != v.m.n)
}

// siblings returns the nodes that share a parent with the home, in the order in which the minion
// tries them.
func (m *minion) siblings() []*node {
	var out []*node
	for _, up := range m.n.ups {
		for _, l := range up.parent.downs {
			if l.child != m.n && !slices.Contains(out, l.child) {
				out = append(out, l.child)
			}
		}
	}
	g := uint64(m.n.lo + int(m.i))
	slices.SortFunc(out, func(a, b *node) int { return cmp.Compare(mix(g, uint64(a.idx)), mix(g, uint64(b.idx))) })
	return out
}

// moveTo subscribes at a sibling and announces the jobs under way. The minion sends its returns once
// the announcement is answered.
func (v *visit) moveTo(n *node) {
	w, m := n.w, v.m
	v.leaveHost()
	v.turn++
	first := v.host == nil
	w.stays[m]++
	v.host, v.stay = n, w.stays[m]
	n.guests = append(n.guests, v)
	w.trace(n, "minion %s of %s moves here", m.id(), m.n.id)
	v.arrive()
	if first {
		v.watchHome(0)
	}
}

func (v *visit) arrive() {
	v.here = true
	v.announce()
	if v.m.n.w.o.sabotage.deliverFirst {
		v.m.sendAll()
	}
}

// saidAfter is how long a minion holds its returns back for an unanswered announcement.
const saidAfter = 10e9

// announce sends the jobs under way to the host until that has answered.
func (v *visit) announce() {
	n, w, turn := v.host, v.host.w, v.turn
	running := v.m.underWay()
	still := func() bool { return v.turn == turn && v.here && v.host == n }
	deliver := func() {
		if still() && !v.greeted {
			v.greeted = true
			v.m.sendAll()
		}
	}
	n.after(saidAfter, deliver)
	again := func() {
		n.after(returnTimeout, func() {
			if still() && !v.greeted {
				v.announce()
			}
		})
	}
	n.count(up, presenceBytes)
	if w.lost() {
		again()
		return
	}
	n.after(w.o.Leaf.draw(w.rng), func() {
		if !still() {
			return
		}
		n.do(greetHost, func() { n.greetGuest(v, running) })
		if w.lost() {
			again()
			return
		}
		n.after(w.o.Leaf.draw(w.rng), deliver)
	})
}

func (v *visit) deliversTo() *node {
	switch {
	case v.home && v.m.n.alive:
		return v.m.n
	case !v.home && v.here && (v.greeted || v.host.w.o.sabotage.deliverFirst):
		return v.host
	}
	return nil
}

// disconnect ends the subscription at the host.
func (v *visit) disconnect() {
	if !v.here {
		return
	}
	v.turn++
	v.here, v.greeted = false, false
	if v.known {
		v.known = false
		v.host.loseGuest(v)
	}
}

// reconnect subscribes at the host again after a break.
func (v *visit) reconnect() {
	if !v.here && !v.home && v.reaches(v.host) {
		v.turn++
		v.arrive()
	}
}

func (v *visit) leaveHost() {
	if v.host == nil {
		return
	}
	v.disconnect()
	v.host.guests = slices.DeleteFunc(v.host.guests, func(x *visit) bool { return x == v })
}

// watchHome goes home once that has been reachable for rehome_failback without a break; good
// counts the quarters of that time.
func (v *visit) watchHome(good int) {
	m, w := v.m, v.m.n.w
	quarter := int64(w.o.Failback) / 4
	w.after(quarter+w.rng.Int64N(quarter/4+1), func() {
		switch {
		case w.visits[m] != v || v.host == nil:
			return
		case !v.reaches(m.n) || w.now < v.until:
			good = 0
		default:
			good++
		}
		if good >= 4 && !v.home {
			v.goHome()
			good = 0
		}
		v.watchHome(good)
	})
}

// goHome sends returns to the home from now on, subscribes there, and leaves the sibling.
func (v *visit) goHome() {
	m, w := v.m, v.m.n.w
	w.trace(m.n, "minion %s comes back", m.id())
	v.home = true
	m.sendAll()
	w.after(w.o.Leaf.draw(w.rng), func() {
		if !v.reaches(m.n) {
			v.home = false
			if !v.here {
				v.reconnect()
				v.seekSoon()
			}
			return
		}
		w.stays[m]++
		w.homeStay[m] = w.stays[m]
		if !m.connected {
			m.connect()
		}
		w.after(w.o.Leaf.draw(w.rng)+w.rng.Int64N(int64(5e6)), func() {
			v.leaveHost()
			v.end()
			if !m.connected { // lost meanwhile
				m.reconnectSoon()
				m.seekSoon()
			}
		})
	})
}

// askToMove sends a minion to a sibling for at least d although its home is alive, as `mom node
// drain` does.
func (m *minion) askToMove(d int64) {
	w := m.n.w
	if !m.connected || m.moves || !m.tracked() {
		return
	}
	for _, n := range m.siblings() {
		if !n.alive {
			continue
		}
		w.faults++
		v := m.begin()
		v.until = w.now + d
		v.moveTo(n)
		w.after(2*w.o.Leaf.draw(w.rng), func() { // until then it is connected to both
			if w.visits[m] != v || v.home {
				return // already back
			}
			if m.connected && !w.lost() {
				w.left[m] = true
			}
			m.disconnect()
		})
		return
	}
}

// stray keeps a minion from reaching its home for d, but not from reaching the siblings.
func (m *minion) stray(d int64) {
	w := m.n.w
	if m.moves || m.away || m.kind() == dead || !m.tracked() {
		return
	}
	w.faults++
	w.trace(m.n, "minion %s cannot reach it for %.3f s", m.id(), float64(d)/1e9)
	m.away = true
	m.disconnect()
	v := m.begin()
	v.astray = true
	v.seekSoon()
	w.after(d, func() {
		v.astray, m.away = false, false
		m.reconnectSoon()
	})
}

func (m *minion) id() string { return m.n.minionID(int(m.i)) }
