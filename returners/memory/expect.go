package memory

import (
	"cmp"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/internal/roll"
)

// expected is the expectation of one node.
type expected struct {
	at    int64 // microseconds
	state string
	marks roll.Marks
}

// changedMarks are the marks that one batch changed, by job and node.
type changedMarks map[rowKey]roll.Marks

// putExpectation stores one expectation and reports whether that changes anything.
func (s *Store) putExpectation(x *returners.Expectation, now time.Time, said changedMarks) bool {
	at := cmp.Or(x.At, now)
	var e *expected
	if j := s.jobs[x.JID]; j != nil {
		e = j.exps[x.Node]
	}
	changed := e == nil
	if changed {
		e = &expected{at: at.UnixMicro(), state: x.State, marks: roll.Marks{}}
		s.job(x.JID, at).exps[x.Node] = e
	}
	state, moved := roll.State(e.state, x.State)
	e.state, changed = state, changed || moved
	k := rowKey{returners.KindExpectation, x.JID, x.Node}
	for id, mark := range roll.Of(*x) {
		if e.marks.Put(id, mark) {
			if said[k] == nil {
				said[k] = roll.Marks{}
			}
			said[k][id], changed = mark, true
		}
	}
	if changed {
		s.jobs[x.JID].seen(s.age(at))
	}
	return changed
}

// row returns the expectation of a node: the whole one, or that of the given marks.
func (e *expected) row(jid, node string, marks roll.Marks) returners.Expectation {
	x := returners.Expectation{JID: jid, Node: node, At: time.UnixMicro(e.at).UTC(), State: e.state}
	marks.Into(&x)
	return x
}
