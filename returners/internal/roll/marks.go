package roll

import (
	"maps"
	"slices"

	"github.com/momtree/mom/returners"
)

// Mark is the state of one minion: it has to answer, or the reason why it will not.
type Mark struct {
	Missing bool
	Reason  string // only for a missing minion
}

// Marks are states of minions, by id.
type Marks map[string]Mark

// EachMark calls say for each minion of an expectation, up to the first error. A minion
// that is named as both answering and missing counts as missing.
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

// Of returns the marks that an expectation sets.
func Of(x returners.Expectation) Marks {
	m := make(Marks, len(x.Minions)+len(x.Missing))
	_ = EachMark(&x, func(id string, k Mark) error { // this one has no error
		m[id] = k
		return nil
	})
	return m
}

// Put sets a mark and reports whether that changes anything.
func (m Marks) Put(id string, k Mark) bool {
	if have, ok := m[id]; ok && have == k {
		return false
	}
	m[id] = k
	return true
}

// IDs returns the minion ids, sorted.
func (m Marks) IDs() []string { return slices.Sorted(maps.Keys(m)) }

// Into adds the marks to an expectation. Marks of several calls have to come in the order
// of their ids.
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

// State merges a later state of a node into the stored one and reports whether it changed.
// An empty later state changes nothing, and neither does [returners.StateAdopted].
func State(have, later string) (string, bool) {
	if later == "" || later == returners.StateAdopted || later == have {
		return have, false
	}
	return later, true
}
