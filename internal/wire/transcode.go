package wire

import "unicode/utf8"

// ToBus converts a value from wire to bus encoding, as Salt does when it unpacks a load and
// fires it as an event: texts and bytes that are UTF-8 become str, others bin; numbers and
// heads get their shortest form. The order is kept.
func ToBus(wireBytes []byte) ([]byte, error) { return rewrite(wireBytes, busRules) }

// ToWire converts a value from bus to wire encoding: str and bin both become the raw family.
func ToWire(busBytes []byte) ([]byte, error) { return rewrite(busBytes, wireRules) }

func rewrite(b []byte, r rules) ([]byte, error) {
	if err := Scan(b, Limits{}); err != nil {
		return nil, err
	}
	return transcode(make([]byte, 0, len(b)+len(b)/16+8), b, r)
}

// transcode appends the values of src, which must have been scanned, to dst. Heads have counts
// but no byte lengths, so one flat pass is enough. Values that both encodings share are copied
// in runs.
func transcode(dst, src []byte, r rules) ([]byte, error) {
	run := 0 // start of the bytes to copy unchanged
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

// keeps reports whether a value, or the head of one, has the same encoding by the rules r. It
// is called for all values and returns false if it would need a closer look.
func keeps(v []byte, r rules) bool {
	switch c := v[0]; {
	case c <= 0x9f, c >= 0xe0, c == 0xc0, c == 0xc2, c == 0xc3, c == 0xcb:
		return true
	case c <= 0xbf: // text of at most 31 bytes
		return r == wireRules || utf8.Valid(v[1:])
	}
	return false
}

// appendValue encodes the value at src[i] again; for a list or map only the head.
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
