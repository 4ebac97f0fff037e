package wire

// Pick finds fields of a map: the values of the names given, in that order, nil for
// those that are not there; of a field that stands twice the last, as Salt reads it. It
// checks the whole map against lim and makes nothing of it, so it is what a stranger's
// load is judged by. The values alias b.
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

// DecodeWithin is Decode for what is no larger than lim.
func DecodeWithin(b []byte, lim Limits) (any, error) {
	if err := Scan(b, lim); err != nil {
		return nil, err
	}
	return Decode(b)
}

// Size is how many values there are in b, keys included, within lim.
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
