package sequence

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/wire"
)

// The fields that mom adds to Salt's `_minion_event` load and to its answer. Python masters
// ignore unknown fields.
const (
	field     = "order" // [number, oldest]
	lateField = "late"  // in the answer: the oldest number
)

// Put adds a mark to a load.
func Put(load *wire.Map, m Mark) { load.Set(field, []any{m.Number, m.Oldest}) }

var errMark = errors.New("field order must be two whole numbers, the second at least 1 and not above the first")

// Read reads the mark from the unknown fields of a load, which are raw values; the map may be
// nil. Without a mark it returns the zero Mark.
func Read(load *wire.Map) (Mark, error) {
	if load == nil || !load.Has(field) {
		return Mark{}, nil
	}
	v, _ := load.Get(field)
	raw, ok := v.(wire.Raw)
	if !ok {
		return Mark{}, errMark
	}
	x, err := wire.Decode(raw)
	if err != nil {
		return Mark{}, fmt.Errorf("%w: %w", errMark, err)
	}
	list, _ := x.([]any)
	if len(list) != 2 {
		return Mark{}, errMark
	}
	m := Mark{Number: whole(list[0]), Oldest: whole(list[1])}
	if m.Oldest == 0 || m.Oldest > m.Number {
		return Mark{}, errMark
	}
	return m, nil
}

// whole returns an integer from the wire; 0 if it is not one, or negative.
func whole(v any) uint64 {
	switch n := v.(type) {
	case int64:
		return uint64(max(n, 0))
	case uint64:
		return n
	}
	return 0
}

// Answer returns the answer to the sender of a late request, if it still waits.
func (e Late) Answer() *wire.Map { return wire.NewMap(lateField, e.Oldest) }

// ReadLate decodes such an answer; false means that it is another one.
func ReadLate(v wire.Raw) (oldest uint64, ok bool) {
	if wire.IsNil(v) {
		return 0, false
	}
	d, err := wire.DecodeMap(v)
	if err != nil {
		return 0, false
	}
	x, ok := d.Get(lateField)
	oldest = whole(x)
	return oldest, ok && oldest > 0
}
