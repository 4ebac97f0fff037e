package wire

// loadWriter encodes the fields of a load by the wire rules, in the order of the calls; the
// head is written last, when their number is known.
type loadWriter struct {
	b []byte
	n int
}

func newLoad(size int) *loadWriter {
	return &loadWriter{b: make([]byte, maxHead, maxHead+size)}
}

func (w *loadWriter) key(k string) {
	w.b = appendStr(w.b, k, wireRules)
	w.n++
}

func (w *loadWriter) str(k, v string) {
	w.key(k)
	w.b = appendStr(w.b, v, wireRules)
}

func (w *loadWriter) int(k string, v int64) {
	w.key(k)
	w.b = appendInt(w.b, v)
}

func (w *loadWriter) bytes(k string, v []byte) {
	w.key(k)
	w.b = appendBytes(w.b, v, wireRules)
}

// raw writes nil for an empty value.
func (w *loadWriter) raw(k string, v Raw) {
	w.key(k)
	if len(v) == 0 {
		w.b = appendNil(w.b)
		return
	}
	w.b = append(w.b, v...)
}

// The following functions write nothing for an unset value.

func (w *loadWriter) text(k, v string) {
	if v != "" {
		w.str(k, v)
	}
}

func (w *loadWriter) optInt(k string, v int64) {
	if v != 0 {
		w.int(k, v)
	}
}

func (w *loadWriter) optBytes(k string, v []byte) {
	if v != nil {
		w.bytes(k, v)
	}
}

func (w *loadWriter) optRaw(k string, v Raw) {
	if len(v) > 0 {
		w.raw(k, v)
	}
}

// extra writes the unknown fields of a load.
func (w *loadWriter) extra(m *Map) error {
	e := encoder{rules: wireRules}
	var err error
	m.Range(func(k, v any) bool {
		if w.b, err = e.value(w.b, k, 0); err != nil {
			return false
		}
		w.b, err = e.value(w.b, v, 0)
		w.n++
		return err == nil
	})
	return err
}

func (w *loadWriter) done() []byte { return closeHead(w.b, Dict, w.n) }
