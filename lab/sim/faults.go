package sim

import "time"

// crashPoints is about how many crash points a job passes per node. Crashes are drawn from that
// many points.
const crashPoints = 8

// planFaults draws which faults happen, and when.
func (w *World) planFaults() {
	f := w.o.Faults
	at := func() int64 { return w.rng.Int64N(int64(f.Within) + 1) }
	for range f.Kills {
		n, t, d := w.nodes[w.rng.IntN(len(w.nodes))], at(), f.For.draw(w.rng)
		w.after(t, func() { w.kill(n, d) })
	}
	for range f.Crashes {
		w.crashAt[1+w.rng.IntN(crashPoints*len(w.nodes)*len(w.jobs))] = true
	}
	if len(w.links) > 0 {
		for range f.Partitions {
			w.planCut(at(), f.For.draw(w.rng), true, true)
		}
		for range f.OneWay {
			dir := w.rng.IntN(2) == 0
			w.planCut(at(), f.For.draw(w.rng), dir, !dir)
		}
	}
	w.planTopCuts(f)
	for range f.Drops {
		g, t, d := w.rng.IntN(len(w.ids)), at(), f.For.draw(w.rng)
		if w.kinds[g] != dead {
			w.after(t, func() { w.minion(g).drop(d) })
		}
	}
	for range f.Sick {
		w.planSickness(w.nodes[w.rng.IntN(len(w.nodes))], at(), f.For.draw(w.rng), w.rng.IntN(2) == 0)
	}
	for range f.Lag {
		w.planLag(w.nodes[w.rng.IntN(len(w.nodes))], at(), f.For.draw(w.rng), w.rng.IntN(3))
	}
	for range f.Moves {
		m, t, d := w.minion(w.rng.IntN(len(w.ids))), at(), f.For.draw(w.rng)
		if w.rng.IntN(2) == 0 {
			w.after(t, func() { m.askToMove(d) })
		} else {
			w.after(t, func() { m.stray(d) })
		}
	}
}

func (w *World) minion(g int) *minion {
	for _, n := range w.nodes {
		if g < n.lo+len(n.minions) {
			return &n.minions[g-n.lo]
		}
	}
	return nil
}

// planCut cuts a drawn link at time t for d, per direction.
func (w *World) planCut(t, d int64, cutUp, cutDown bool) {
	w.cutLink(w.links[w.rng.IntN(len(w.links))], t, d, cutUp, cutDown)
}

// cutLink cuts one link at time t for d, per direction.
func (w *World) cutLink(l *link, t, d int64, cutUp, cutDown bool) {
	w.after(t, func() {
		if l.cut[up] || l.cut[down] {
			return // already cut
		}
		l.cut[up], l.cut[down] = cutUp, cutDown
		w.faults++
		w.trace(l.child, "is cut off from %s (up %v, down %v) for %.3f s", l.parent.id, cutUp, cutDown, float64(d)/1e9)
		epoch := l.epoch
		w.after(int64(w.o.Heartbeat), func() {
			if l.standing && l.epoch == epoch {
				l.cutOff()
			}
		})
		w.after(d, func() {
			l.cut[up], l.cut[down] = false, false
			w.trace(l.child, "can reach %s again", l.parent.id)
			if l.standing && l.epoch == epoch {
				l.cutOff() // the messages lost meanwhile end the connection
			}
			l.deliverLate()
			l.reconnectSoon()
		})
	})
}

// planSickness makes the disk of a node reject writes from time t on for d.
func (w *World) planSickness(n *node, t, d int64, dies bool) {
	w.after(t, func() {
		if n.disk.sick {
			return
		}
		n.disk.sick = true
		w.faults++
		w.trace(n, "disk rejects writes for %.3f s", float64(d)/1e9)
		w.after(d, func() {
			if dies { // with everything that it has in memory only
				w.kill(n, int64(time.Second))
			}
			n.disk.sick = false
			w.trace(n, "disk accepts writes again")
		})
	})
}

// planLag makes the disk of a node slow from time t on for d. The node survives it, dies at its
// end, or dies while a repeated request waits for the disk.
func (w *World) planLag(n *node, t, d int64, end int) {
	w.after(t, func() {
		if n.disk.slow {
			return
		}
		n.disk.slow, n.disk.last = true, end == 2
		w.faults++
		w.trace(n, "disk is slow for %.3f s", float64(d)/1e9)
		w.after(d, func() {
			n.disk.slow, n.disk.last = false, false
			w.trace(n, "disk is fast again")
			if end == 1 {
				w.kill(n, int64(time.Second))
			}
		})
	})
}

// lost draws whether a message is lost.
func (w *World) lost() bool { return w.o.Faults.Loss > 0 && w.rng.Float64() < w.o.Faults.Loss }
