package sim

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/returns"
)

// drawActors draws the odd returns of minions, the masters of other versions and the hostile peers.
// It draws from streams of its own, so that the rest of a schedule does not depend on it.
func (o *Options) drawActors() {
	r := o.stream(0x6163746f72)
	for i := range o.Jobs {
		o.Jobs[i].Odd = pick(r, 0, 0, 0, 0.3)
	}
	o.Narrow, o.Older = pick(r, 0, 0.3), pick(r, 0, 0, 0.3)
	if lag := int(pick(r, 0, 0, 1, 3)); o.Faults.Moves == 0 && o.Rehome == 0 { // as with Faults.Sick
		if o.Faults.Lag = lag; lag > 0 { // so that requests are repeated before they are answered
			o.Faults.Repeat = 0.5
		}
	}
	own := o.stream(0x65766974)
	if some := own.IntN(2) == 0; some && o.Faults.Moves == 0 && o.Rehome == 0 {
		o.Faults.Hostile.draw(own)
	}
	for i := range o.Jobs {
		o.Jobs[i].Queue = time.Duration(pick(own, 0, 0, 0, 5, 3600) * float64(time.Second))
	}
	o.Faults.Clocks = int(pick(own, 0, 0, 1, 3))
	o.Strict, o.Unsigned = pick(own, 0, 0.5), pick(own, 0, 0, 0.3)
	if turned := int(pick(own, 0, 0, 1, 2)); o.Faults.Moves == 0 && o.Rehome == 0 {
		o.Faults.Turned = turned
	}
}

// narrowDepth is the nesting depth of values that a narrow master accepts.
const narrowDepth = 4

// narrow reports whether a node accepts values up to narrowDepth only.
func (n *node) narrow() bool { return share(uint64(n.idx), 901) < n.w.o.Narrow }

// older reports whether a node runs a version that rejects a whole request from a child
// when it cannot read a part of it.
func (n *node) older() bool { return share(uint64(n.idx), 902) < n.w.o.Older }

// values returns the nesting depth of values that a node accepts.
func (n *node) values() int {
	if n.narrow() {
		return narrowDepth
	}
	return n.w.o.Bounds.Depth
}

// noResult is what oddOf returns for a return without a result.
const noResult = -1

// oddOf returns what is unusual about a minion's return: 0 for nothing, noResult for a missing
// result, otherwise the nesting depth of the result. Python packs 511 levels.
func (j *job) oddOf(g int) int {
	if j.Odd <= 0 || share(uint64(g), j.salt+2000) >= j.Odd {
		return 0
	}
	return []int{noResult, narrowDepth, narrowDepth + 1, 10, wire.ValueDepth, wire.ValueDepth + 1, 59, 500}[mix(uint64(g), j.salt+3000)%8]
}

// odd reports whether a master may store an error in place of a return.
func (w *World) odd(j *job, g int) bool { return j.oddOf(g) != 0 || w.signs(g) != signedWell }

// result returns the result that a minion sends; nil means none.
func (j *job) result(g int) wire.Raw {
	switch d := j.oddOf(g); d {
	case 0:
		return j.value()
	case noResult:
		return nil
	default:
		return append(slices.Repeat(wire.Raw{0x91}, d-1), 0x90) // nested lists, the innermost empty
	}
}

// refusedAt reports whether a node must store an error in place of a return.
func (w *World) refusedAt(n *node, j *job, r returners.Return) bool {
	if !w.odd(j, w.index(r.ID)) {
		return false
	}
	odd := j.oddOf(w.index(r.ID))
	deep := odd > n.values()
	if r.Via == "" {
		return odd == noResult || deep || n.strict() && w.signs(w.index(r.ID)) != signedWell
	}
	i := slices.IndexFunc(w.nodes, func(c *node) bool { return c.id == r.Via })
	if i < 0 { // the sender is not a node
		return false
	}
	below := w.nodes[i]
	refused := false
	below.disk.EachReturn(j.jid, func(b returners.Return) {
		refused = refused || b.ID == r.ID && w.refusedAt(below, j, b)
	})
	return refused || deep && w.o.Body == returns.Full
}

// rejected reports whether a destination holds rows that were set aside.
func rejected(dest string) bool { return strings.HasPrefix(dest, returners.Rejected("")) }

// checkSetAside calls wrong for each row that was set aside although every master above accepts it.
func (n *node) checkSetAside(dest string, wrong func(returners.Item)) {
	items, err := n.disk.OutboxRead(background, dest, 0, math.MaxInt32, 0)
	n.must(err)
	for _, it := range items {
		if it.Return == nil || !n.w.mayRefuse(n, n.w.byJID[it.JID], *it.Return) {
			wrong(it)
		}
	}
}

// mayRefuse reports whether a master above a node must reject a return that the node stores.
func (w *World) mayRefuse(n *node, j *job, r returners.Return) bool {
	return w.o.Body == returns.Full && !w.refusedAt(n, j, r) &&
		slices.ContainsFunc(n.ups, func(l *link) bool { return j.oddOf(w.index(r.ID)) > l.parent.values() })
}
