package topology

import (
	"fmt"
	"time"
)

// lives holds the last two lives of a child. A child that returns to its previous life is two
// programs with one id and key.
type lives struct {
	now, before string
	flipped     time.Time
}

// twinMemory is how long alternating lives count as two nodes.
const twinMemory = time.Minute

// setLife records the life in which a child reports; t.mu is held.
func (t *Tree) setLife(id, life string) {
	l := t.lives[id]
	if life == "" || l.now == life {
		return
	}
	if l.before == life {
		l.flipped = t.now()
		t.setProblem(twins(id), id, true)
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

// forgetTwins removes the problem when one of the two has been silent; t.mu is held.
func (t *Tree) forgetTwins() {
	for id, l := range t.lives {
		if !l.flipped.IsZero() && t.now().Sub(l.flipped) > twinMemory {
			l.flipped = time.Time{}
			t.lives[id] = l
			t.setProblem(twins(id), id, false)
		}
	}
}
