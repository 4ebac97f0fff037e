package wire

import "unicode/utf8"

// ToBus rewrites one wire value by the rules of the bus, as Salt does when it
// unpacks a load and fires it as an event: texts and bytes that are UTF-8 become
// str, others bin; numbers and heads take their shortest form. Order is kept.
func ToBus(wireBytes []byte) ([]byte, error) { return rewrite(wireBytes, busRules) }

// ToWire rewrites one bus value by the wire rules: str and bin both become the
// raw family.
func ToWire(busBytes []byte) ([]byte, error) { return rewrite(busBytes, wireRules) }

func rewrite(b []byte, r rules) ([]byte, error) {
	if err := Scan(b, Limits{}); err != nil {
		return nil, err
	}
	return transcode(make([]byte, 0, len(b)+len(b)/16+8), b, r)
}

// transcode appends the values of src to dst. The bytes must have been scanned.
// As heads carry counts and no byte lengths, one flat pass over them is enough.
// What is the same by both rules is copied in runs.
func transcode(dst, src []byte, r rules) ([]byte, error) {
	run := 0 // start of bytes to be copied as they are
	for i := 0; i < len(src); {
		if end := i + int(forms[src[i]].skip); end <= len(src) && keeps(src[i:end], r) {
			i = end
			continue
		}
		dst = append(dst, src[run:i]...)
		h, err := headAt(src, i)
		if err != nil {
			return dst, err
		}
		dst = appendValue(dst, src, i, h, r)
		i += h.size
		if h.kind != List && h.kind != Dict {
			i += h.n
		}
		run = i
	}
	return append(dst, src[run:]...), nil
}

// keeps reports whether a value, or the head of one, is the same by the rules r.
// It is asked for all values and says false when it would have to look closer.
func keeps(v []byte, r rules) bool {
	switch c := v[0]; {
	case c <= 0x9f, c >= 0xe0, c == 0xc0, c == 0xc2, c == 0xc3, c == 0xcb:
		return true
	case c <= 0xbf: // text of at most 31 bytes
		return r == wireRules || utf8.Valid(v[1:])
	}
	return false
}

// appendValue packs the value at src[i] anew, of a list or map only the head.
func appendValue(dst, src []byte, i int, h head, r rules) []byte {
	payload := i + h.size
	switch h.kind {
	case List, Dict:
		return appendHead(dst, h.kind, h.n)
	case Integer:
		v, big := number(src, i)
		if big {
			return appendUint(dst, uint64(v))
		}
		return appendInt(dst, v)
	case Real:
		return appendFloat(dst, real64(src, i))
	case Text, Bin:
		return appendRaw(dst, src[payload:payload+h.n], r)
	case Extension:
		typ, data := extension(src, i, h)
		return appendExt(dst, typ, data)
	}
	return append(dst, src[i])
}
