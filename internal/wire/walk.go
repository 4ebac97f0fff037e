package wire

import "slices"

// mapIter iterates over the pairs of a map and checks each value.
//
//	it := openMap(b)
//	for it.next() { … it.key … it.val … }
//	if it.err != nil { … }
type mapIter struct {
	b    []byte
	at   int
	left int
	lim  Limits
	name Raw    // the undecoded key
	key  []byte // its text; nil if the key is not a string
	val  Raw
	err  error
}

func openMap(b []byte) mapIter {
	it := mapIter{b: b, lim: Limits{MaxDepth: DoorDepth}.orDefault()}
	it.at, it.left, it.err = openContainer(b, Dict, &it.lim)
	return it
}

// openContainer checks the outermost list or map of b.
func openContainer(b []byte, want Kind, l *Limits) (start, n int, err error) {
	if len(b) > l.MaxBytes {
		return 0, 0, at(0, ErrTooLarge)
	}
	h, err := headAt(b, 0)
	if err != nil {
		return 0, 0, err
	}
	if h.kind != want {
		return 0, 0, wrongType("a "+want.String(), b)
	}
	values := h.n
	if want == Dict {
		values *= 2
	}
	switch {
	case values > l.MaxNodes:
		return 0, 0, at(0, ErrTooMany)
	case values > len(b)-h.size:
		return 0, 0, at(0, ErrTruncated)
	}
	l.MaxDepth--
	return h.size, h.n, nil
}

func (it *mapIter) next() bool {
	if it.err != nil {
		return false
	}
	if it.left == 0 {
		if it.at != len(it.b) {
			it.err = at(it.at, ErrTrailing)
		}
		return false
	}
	it.left--
	if it.name, it.err = it.cut(); it.err != nil {
		return false
	}
	if it.val, it.err = it.cut(); it.err != nil {
		return false
	}
	it.key = nil
	if k := KindOf(it.name); k == Text || k == Bin {
		it.key, it.err = Bytes(it.name)
	}
	return it.err == nil
}

func (it *mapIter) cut() (Raw, error) {
	start := it.at
	end, err := extent(it.b, start, &it.lim)
	if err != nil {
		return nil, err
	}
	it.at = end
	return Raw(it.b[start:end:end]), nil
}

// Pairs calls fn for the pairs of a map. Key and value alias b. It stops at the first error,
// which may come after calls for the pairs before a fault.
func Pairs(b []byte, fn func(key, val Raw) error) error {
	it := openMap(b)
	for it.next() {
		if err := fn(it.name, it.val); err != nil {
			return err
		}
	}
	return it.err
}

// Fields calls fn for the pairs of a map whose keys are strings and skips others. The value
// aliases b.
func Fields(b []byte, fn func(key string, val Raw) error) error {
	it := openMap(b)
	for it.next() {
		if it.key == nil {
			continue
		}
		if err := fn(string(it.key), it.val); err != nil {
			return err
		}
	}
	return it.err
}

// Field returns the value of one key of a map, nil if it is missing.
func Field(b []byte, key string) (Raw, error) {
	var found Raw
	it := openMap(b)
	for it.next() {
		if it.key != nil && string(it.key) == key {
			found = it.val
		}
	}
	if it.err != nil {
		return nil, it.err
	}
	return found, nil
}

// Elems calls fn for the values of a list. The value aliases b.
func Elems(b []byte, fn func(i int, val Raw) error) error {
	return elems(b, Limits{MaxDepth: DoorDepth}, fn)
}

func elems(b []byte, lim Limits, fn func(i int, val Raw) error) error {
	lim = lim.orDefault()
	pos, n, err := openContainer(b, List, &lim)
	if err != nil {
		return err
	}
	for i := range n {
		end, err := extent(b, pos, &lim)
		if err != nil {
			return err
		}
		if err := fn(i, Raw(b[pos:end:end])); err != nil {
			return err
		}
		pos = end
	}
	if pos != len(b) {
		return at(pos, ErrTrailing)
	}
	return nil
}

// Strings returns the strings in a list.
func Strings(b []byte) ([]string, error) {
	var out []string
	err := Elems(b, func(_ int, val Raw) error {
		s, err := Str(val)
		out = append(out, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Count returns the number of pairs of a map or elements of a list; 0 for other values.
func Count(r Raw) int {
	if h, err := headAt(r, 0); err == nil && (h.kind == List || h.kind == Dict) {
		return h.n
	}
	return 0
}

// Without returns the map b without the named keys, in the same order. If it has none of them,
// the result aliases b.
func Without(b []byte, keys ...string) (Raw, error) {
	spans := make([]span, 0, 8)
	it := openMap(b)
	n := it.left
	for it.next() {
		if it.key != nil && slices.Contains(keys, string(it.key)) {
			spans = append(spans, it.span())
		}
	}
	if it.err != nil {
		return nil, it.err
	}
	return without(b, n, spans), nil
}

// span is the position of a pair of a map.
type span struct{ from, to int }

// span returns the position of the pair that next has found.
func (it *mapIter) span() span {
	return span{from: it.at - len(it.val) - len(it.name), to: it.at}
}

// without copies the map b of n pairs without some of them. If spans is empty, it returns b
// itself.
func without(b []byte, n int, spans []span) Raw {
	if len(spans) == 0 {
		return b
	}
	out := appendHead(make([]byte, 0, len(b)), Dict, n-len(spans))
	done := int(forms[b[0]].skip) // the head
	for _, s := range spans {
		out = append(out, b[done:s.from]...)
		done = s.to
	}
	return append(out, b[done:]...)
}
