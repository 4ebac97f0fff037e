package wire

// loadReader iterates over the fields of a load. A field that cannot be read sets err, which
// ends the iteration with the names of the load and the field.
//
//	l := openLoad("return", r)
//	for l.next() {
//		switch string(l.key) {
//		case "id":
//			ret.ID, l.err = Str(l.val)
//		default:
//			l.keep()
//		}
//	}
//	if l.err != nil { … }
type loadReader struct {
	mapIter
	load  string
	pairs int
	extra *Map // fields recorded by keep

	// Fields that the channel adds to a load and removes again.
	tok   []byte
	nonce string
	ts    int64

	room  [2]span
	drop  []span // pairs omitted from Full, if they do not fit into room
	dropN int
}

func openLoad(load string, r Raw) loadReader {
	it := openMap(r)
	return loadReader{mapIter: it, load: load, pairs: it.left}
}

func (l *loadReader) next() bool {
	if l.err != nil {
		l.err = inField(l.load, string(l.key), l.err)
		return false
	}
	return l.mapIter.next()
}

func (l *loadReader) missing(field string) error { return missing(l.load, field) }

// keep records a field that the typed load does not know. It drops keys that are not strings,
// which no load of Salt's has.
func (l *loadReader) keep() {
	if l.key == nil {
		return
	}
	if l.extra == nil {
		l.extra = &Map{}
	}
	l.extra.Set(string(l.key), l.val)
}

// channel reads one of the channel's fields; false for any other.
func (l *loadReader) channel() bool {
	switch string(l.key) {
	case "tok":
		l.tok, l.err = Bytes(l.val)
		l.omit()
	case "nonce":
		l.nonce, l.err = Str(l.val)
		l.omit()
	case "ts":
		l.ts, l.err = Int(l.val)
	default:
		return false
	}
	return true
}

// omit leaves a pair out of Full.
func (l *loadReader) omit() {
	if l.drop == nil && l.dropN < len(l.room) {
		l.room[l.dropN] = l.span()
		l.dropN++
		return
	}
	if l.drop == nil { // a duplicate field
		l.drop = append(l.drop, l.room[:]...)
	}
	l.drop = append(l.drop, l.span())
}

// full returns the whole load without the omitted pairs.
func (l *loadReader) full() Raw {
	if l.drop != nil {
		return without(l.b, l.pairs, l.drop)
	}
	return without(l.b, l.pairs, l.room[:l.dropN])
}
