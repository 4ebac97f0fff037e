package wire

// Pick returns the values of the named fields of a map, in that order, nil for missing ones; of
// a duplicate field the last, as in Salt. It checks the whole map against lim and allocates
// nothing for it, so it is used to judge a stranger's load. The values alias b.
func Pick(b []byte, lim Limits, names ...string) ([]Raw, error) {
	if err := Scan(b, lim); err != nil {
		return nil, err
	}
	out := make([]Raw, len(names))
	it := openMap(b)
	for it.next() {
		for i, name := range names {
			if it.key != nil && string(it.key) == name {
				out[i] = it.val
			}
		}
	}
	return out, it.err
}

// DecodeWithin is Decode for a value within lim.
func DecodeWithin(b []byte, lim Limits) (any, error) {
	if err := Scan(b, lim); err != nil {
		return nil, err
	}
	return Decode(b)
}

// Size returns the number of values in b, keys included, within lim.
func Size(b []byte, lim Limits) (values int, err error) {
	lim = lim.orDefault()
	room := lim.MaxNodes
	if len(b) > lim.MaxBytes {
		return 0, at(0, ErrTooLarge)
	}
	end, err := extent(b, 0, &lim)
	if err == nil && end != len(b) {
		err = at(end, ErrTrailing)
	}
	return room - lim.MaxNodes, err
}
