package sim

import (
	"cmp"
	"slices"
)

// movers is what the world knows of minions that move. Few do, so that it is kept
// beside them.
type movers struct {
	visits map[*minion]*visit
	left   map[*minion]bool // those that said at home that they leave, on its disk
	// stays counts the connections of a minion that were begun by moving, homeStay
	// holds that to its home, and heard over which of them a job came.
	stays, homeStay map[*minion]int
	heard           map[heardOf]bool
	// acked holds, where minions move, the nodes that said that they have a return.
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

// hearsFirst notes that a job came over a stay, and tells whether it is the first
// time.
func (w *World) hearsFirst(m *minion, j *job, stay int) bool {
	if !w.o.moves() {
		return false
	}
	k := heardOf{m, j, stay}
	first := !w.heard[k]
	w.heard[k] = true
	return first
}

// visit is the stay of a minion at a sibling of its home, or the search for one:
// minion/failover/known.go.
type visit struct {
	m      *minion
	host   *node // nil: none yet
	turn   int   // counts the connections; what was meant for an earlier one is void
	stay   int   // the number of this one
	here   bool  // it is subscribed there
	known  bool  // the host has taken its announcement
	told   bool  // and it has heard so: it delivers
	home   bool  // it is on its way home, and delivers there
	looks  bool  // it is about to look for another place
	astray bool  // it cannot reach its home, but the siblings of that
	until  int64 // not home before
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

// end forgets a visit: the minion is at home, or waits for it.
func (v *visit) end() {
	m := v.m
	v.turn++
	m.moves = false
	delete(m.n.w.visits, m)
}

// seekSoon has a minion that has lost its home look for a sibling, in rehome_after
// and up to as much again.
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

// seek goes home, to a sibling, or nowhere yet.
func (v *visit) seek() {
	m := v.m
	switch {
	case v.here || v.home:
		return
	case v.host == nil && (m.connected || v.reaches(m.n)): // it comes back by itself
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

// reaches tells whether the minion can speak to a node.
func (v *visit) reaches(n *node) bool {
	return n.alive && (!v.m.away || v.astray && n != v.m.n)
}

// siblings are the nodes below the parents of the home, in the order in which the
// minion tries them.
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

// moveTo subscribes at a sibling, announces there what is under way, and delivers
// once that was taken.
func (v *visit) moveTo(n *node) {
	w, m := n.w, v.m
	v.leaveHost()
	v.turn++
	first := v.host == nil
	w.stays[m]++
	v.host, v.stay = n, w.stays[m]
	n.guests = append(n.guests, v)
	w.trace(n, "is visited by %s of %s", m.id(), m.n.id)
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

// saidAfter is how long a minion waits with its returns for its announcement to be
// taken.
const saidAfter = 10e9

// announce tells the host what is under way until it has heard that that was taken.
func (v *visit) announce() {
	n, w, turn := v.host, v.host.w, v.turn
	running := v.m.underWay()
	still := func() bool { return v.turn == turn && v.here && v.host == n }
	deliver := func() {
		if still() && !v.told {
			v.told = true
			v.m.sendAll()
		}
	}
	n.after(saidAfter, deliver)
	again := func() {
		n.after(returnTimeout, func() {
			if still() && !v.told {
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
	case !v.home && v.here && (v.told || v.host.w.o.sabotage.deliverFirst):
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
	v.here, v.told = false, false
	if v.known {
		v.known = false
		v.host.loseGuest(v)
	}
}

// reconnect subscribes at the host again, which was away.
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

// watchHome goes home when that has been there for rehome_failback without a break;
// good counts the quarters of it.
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

// goHome delivers at home from now on, subscribes there, then leaves the sibling.
func (v *visit) goHome() {
	m, w := v.m, v.m.n.w
	w.trace(m.n, "is where %s goes back to", m.id())
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

// askToMove sends a minion to a sibling while its home is there, as `mom node drain`
// does, for at least d.
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
		w.after(2*w.o.Leaf.draw(w.rng), func() { // what it hears meanwhile comes from both
			if w.visits[m] != v || v.home {
				return // it is back already
			}
			if m.connected && !w.lost() {
				w.left[m] = true
			}
			m.disconnect()
		})
		return
	}
}

// stray keeps a minion from its home for d, but not from the siblings of that.
func (m *minion) stray(d int64) {
	w := m.n.w
	if m.moves || m.away || m.kind() == dead || !m.tracked() {
		return
	}
	w.faults++
	w.trace(m.n, "cannot be reached by its minion %s for %.3f s", m.id(), float64(d)/1e9)
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
