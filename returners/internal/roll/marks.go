package roll

import (
	"maps"
	"slices"

	"github.com/momtree/mom/returners"
)

// Mark is what is known of one minion: it has to answer, or why it will not.
type Mark struct {
	Missing bool
	Reason  string // only of one that is missing
}

// Marks are those of some minions, by id.
type Marks map[string]Mark

// EachMark gives what an expectation says of each minion, up to the first error. One that
// names a minion among those who answer and among those who will not says that it will
// not.
func EachMark(x *returners.Expectation, say func(id string, k Mark) error) error {
	for _, id := range x.Minions {
		if _, down := x.Missing[id]; down {
			continue
		}
		if err := say(id, Mark{}); err != nil {
			return err
		}
	}
	for id, why := range x.Missing {
		if err := say(id, Mark{true, why}); err != nil {
			return err
		}
	}
	return nil
}

// Of gives the marks that an expectation sets.
func Of(x returners.Expectation) Marks {
	m := make(Marks, len(x.Minions)+len(x.Missing))
	_ = EachMark(&x, func(id string, k Mark) error { // this one has no error
		m[id] = k
		return nil
	})
	return m
}

// Put sets a mark and tells whether that changes anything.
func (m Marks) Put(id string, k Mark) bool {
	if have, ok := m[id]; ok && have == k {
		return false
	}
	m[id] = k
	return true
}

// IDs lists the minions, sorted.
func (m Marks) IDs() []string { return slices.Sorted(maps.Keys(m)) }

// Into adds the marks to an expectation; those of several calls have to come in the
// order of their ids.
func (m Marks) Into(x *returners.Expectation) {
	for _, id := range m.IDs() {
		m[id].into(id, x)
	}
}

func (k Mark) into(id string, x *returners.Expectation) {
	if !k.Missing {
		x.Minions = append(x.Minions, id)
		return
	}
	if x.Missing == nil {
		x.Missing = map[string]string{}
	}
	x.Missing[id] = k.Reason
}

// State gives what becomes of a node's state by a later word, and tells whether that
// is another one: nothing by a word that says nothing of it, or that the node's
// minions came to it (see [returners.StateAdopted]).
func State(have, later string) (string, bool) {
	if later == "" || later == returners.StateAdopted || later == have {
		return have, false
	}
	return later, true
}
