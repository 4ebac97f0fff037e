package wire

import (
	"fmt"

	"github.com/momtree/mom/value"
)

// Decode decodes exactly one value to Go's types: nil, bool, int64, uint64 (only above int64),
// float64, string (the raw family, whatever its bytes), []byte (bin), []any, *Map, time.Time
// (extension 78, UTC), Const, Ext. It accepts wire encoding and bus encoding. The result does
// not alias b.
func Decode(b []byte) (any, error) {
	if err := Scan(b, Limits{}); err != nil {
		return nil, err
	}
	d := decoder{b: b, depth: DefaultMaxDepth}
	return d.value()
}

// DecodeMap is Decode for bytes that must be a map.
func DecodeMap(b []byte) (*Map, error) {
	v, err := Decode(b)
	if err != nil {
		return nil, err
	}
	m, ok := v.(*Map)
	if !ok {
		return nil, wrongType("a map", b)
	}
	return m, nil
}

// decoder decodes bytes that Scan has accepted.
type decoder struct {
	b     []byte
	at    int
	depth int
}

func (d *decoder) value() (any, error) {
	start := d.at
	h, err := headAt(d.b, start)
	if err != nil {
		return nil, err
	}
	switch h.kind {
	case List:
		d.at += h.size
		return d.list(h.n)
	case Dict:
		d.at += h.size
		return d.dict(h.n)
	}
	d.at += h.size + h.n
	payload := d.b[start+h.size : d.at]
	switch h.kind {
	case Nil:
		return nil, nil
	case Boolean:
		return d.b[start] == 0xc3, nil
	case Integer:
		v, big := number(d.b, start)
		if big {
			return uint64(v), nil
		}
		return v, nil
	case Real:
		return real64(d.b, start), nil
	case Text:
		return string(payload), nil
	case Bin:
		return append([]byte{}, payload...), nil
	default:
		typ, data := extension(d.b, start, h)
		return parseExt(typ, data, d.depth), nil
	}
}

func (d *decoder) list(n int) (any, error) {
	d.depth--
	defer func() { d.depth++ }()
	out := make([]any, n)
	for i := range out {
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

func (d *decoder) dict(n int) (any, error) {
	d.depth--
	defer func() { d.depth++ }()
	m := value.Sized(n)
	for range n {
		start := d.at
		key, err := d.value()
		if err != nil {
			return nil, err
		}
		switch key.(type) {
		case []any, *Map, Ext, Const:
			return nil, at(start, fmt.Errorf("%w: %s", ErrKey, KindOf(Raw(d.b[start:]))))
		}
		val, err := d.value()
		if err != nil {
			return nil, err
		}
		m.Set(key, val)
	}
	return m, nil
}
