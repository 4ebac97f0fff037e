package sim

// topCut is a cut from one top of a cluster to another one.
type topCut struct{ since, until int64 }

// planTopCuts draws cuts between tops, from a stream of its own: the rest of a schedule stays the
// same.
func (w *World) planTopCuts(f Faults) {
	if !w.o.Cluster {
		return
	}
	r := w.o.stream(0x746f7063)
	for range f.TopCuts {
		i := r.IntN(len(w.tops))
		a, b := w.tops[i], w.tops[(i+1+r.IntN(len(w.tops)-1))%len(w.tops)]
		t, d, oneWay := r.Int64N(int64(f.Within)+1), f.For.draw(r), r.IntN(3) == 0
		w.after(t, func() { w.cutTops(a, b, d, oneWay) })
	}
}

// cutTops cuts a from b for d, and b from a unless oneWay.
func (w *World) cutTops(a, b *node, d int64, oneWay bool) {
	if a == b {
		return
	}
	if w.topCuts == nil {
		w.topCuts = map[[2]*node]topCut{}
	}
	w.faults++
	w.trace(a, "cannot reach the top %s for %.3f s (one way %v)", b.id, float64(d)/1e9, oneWay)
	cut := func(from, to *node) {
		c := topCut{w.now, w.now + d}
		if old := w.topCuts[[2]*node{from, to}]; old.until > w.now {
			c = topCut{old.since, max(c.until, old.until)}
		}
		w.topCuts[[2]*node{from, to}] = c
	}
	cut(a, b)
	if !oneWay {
		cut(b, a)
	}
}

// apart reports whether what one top sends to another is lost.
func (w *World) apart(from, to *node) bool {
	if w.topCuts[[2]*node{from, to}].until <= w.now {
		return false
	}
	w.reach(markTopsApart)
	return true
}

// knowsApart reports whether a top has noticed that it gets no answers from another one.
func (w *World) knowsApart(n, p *node) bool {
	for _, c := range []topCut{w.topCuts[[2]*node{n, p}], w.topCuts[[2]*node{p, n}]} {
		if c.until > w.now && w.now-c.since >= shareAnswer {
			return true
		}
	}
	return false
}
