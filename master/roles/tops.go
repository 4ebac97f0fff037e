package roles

import (
	"maps"
	"slices"

	"github.com/momtree/mom/internal/admitted"
)

// Top reports whether an operator has admitted the accepted key of an id as that of another top of
// the cluster.
func (b *Book) Top(id string) bool {
	b.mu.RLock()
	finger, ok := b.tops[id]
	b.mu.RUnlock()
	if !ok {
		return false
	}
	key, err := b.o.Keys.Sum(id)
	//mutant:top-admission-is-of-a-key
	return err == nil && key.String() == finger
}

// Tops returns the ids that are a [Book.Top], sorted.
func (b *Book) Tops() []string {
	b.mu.RLock()
	ids := slices.Sorted(maps.Keys(b.tops))
	b.mu.RUnlock()
	return slices.DeleteFunc(ids, func(id string) bool { return !b.Top(id) })
}

// lookAtTops reads the admissions of tops. There are one or two, so they are always read.
func (b *Book) lookAtTops() {
	now, err := admitted.Tops.List(b.o.PkiDir)
	why := ""
	if err != nil {
		why = err.Error()
	}
	b.mu.Lock()
	same := why == b.topsErr
	b.topsErr = why
	if now != nil && !maps.Equal(b.tops, now) {
		b.tops = now
	}
	b.mu.Unlock()
	if err != nil && !same {
		b.o.Log.Warn("invalid admissions ignored", "path", string(admitted.Tops), "err", err)
	}
}
