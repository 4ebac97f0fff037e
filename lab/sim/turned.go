package sim

import (
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/roles"
)

// planTurned schedules the keys of nodes to get the role of minions at a parent.
func (w *World) planTurned() {
	if w.o.Faults.Turned == 0 || len(w.links) == 0 {
		return
	}
	r := w.o.stream(0x7475726e)
	for range w.o.Faults.Turned {
		l := w.links[r.IntN(len(w.links))]
		at, lasts := r.Int64N(int64(w.o.Faults.Within)+1), w.o.Faults.For.draw(r)
		w.after(at, func() { l.turn(lasts) })
	}
}

// turn deletes the child's key at the parent, accepts it anew, and lets the minion of the same
// machine use it first. An operator admits the node after d.
func (l *link) turn(d int64) {
	p, id := l.parent, l.child.id
	if p.guard == nil || p.guard.Of(id) == roles.Minion {
		return // already turned
	}
	l.w.faults++
	l.w.trace(p, "treats the key of %s as a minion's for %.3f s", id, float64(d)/1e9)
	p.guard.roles[id] = roles.Minion
	if l.standing {
		l.cutOff()
	}
	l.w.after(d, func() {
		l.w.trace(p, "admits %s as a node", id)
		p.guard.admitted[id] = true
	})
}

// bars reports whether the parent refuses the child as a node. If so, it answers the request with
// an error.
func (l *link) bars(answer func(wire.Raw, error)) bool {
	err := l.parent.mayReturnFor(l.child.id)
	if err == nil {
		return false
	}
	l.w.reach(markBarred)
	l.w.trace(l.parent, "refuses %s: %v", l.child.id, err)
	answer(nil, channel.ErrRefused)
	return true
}
