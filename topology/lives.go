package topology

import (
	"fmt"
	"time"
)

// lives remembers the last two lives of a node right below. One that comes back
// to the life before is two programs with one id and key, in turns.
type lives struct {
	now, before string
	flipped     time.Time
}

// twinMemory is for how long two lives in turns count as two nodes.
const twinMemory = time.Minute

// noteLife takes the life that a node right below reports in; t.mu is held.
func (t *Tree) noteLife(id, life string) {
	l := t.lives[id]
	if life == "" || l.now == life {
		return
	}
	if l.before == life {
		l.flipped = t.now()
		t.tellSelf(twins(id), id, true)
	}
	l.now, l.before = life, l.now
	t.lives[id] = l
}

func twins(id string) Problem {
	return Problem{
		Kind: DuplicateNode, Path: id,
		Detail: fmt.Sprintf("two programs report as %s in turns; stop one of them, or give it an `id` and a key of its own", id),
	}
}

// forgetTwins takes the problem back when one of the two has been silent; t.mu is
// held.
func (t *Tree) forgetTwins() {
	for id, l := range t.lives {
		if !l.flipped.IsZero() && t.now().Sub(l.flipped) > twinMemory {
			l.flipped = time.Time{}
			t.lives[id] = l
			t.tellSelf(twins(id), id, false)
		}
	}
}
