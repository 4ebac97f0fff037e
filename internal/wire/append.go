package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"time"
	"unicode/utf8"
)

// rules are the two ways of packing text and bytes.
type rules bool

const (
	wireRules rules = false // text and bytes: raw family without str8
	busRules  rules = true  // text: str with str8; bytes and bad UTF-8: bin
)

// maxHead is the longest head of a text, list or map.
const maxHead = 5

func appendNil(b []byte) []byte { return append(b, 0xc0) }

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 0xc3)
	}
	return append(b, 0xc2)
}

func appendInt(b []byte, v int64) []byte {
	switch {
	case v >= 0:
		return appendUint(b, uint64(v))
	case v >= -32:
		return append(b, byte(v))
	case v >= math.MinInt8:
		return append(b, 0xd0, byte(v))
	case v >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(b, 0xd1), uint16(v))
	case v >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(b, 0xd2), uint32(v))
	default:
		return binary.BigEndian.AppendUint64(append(b, 0xd3), uint64(v))
	}
}

func appendUint(b []byte, v uint64) []byte {
	switch {
	case v <= 0x7f:
		return append(b, byte(v))
	case v <= math.MaxUint8:
		return append(b, 0xcc, byte(v))
	case v <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, 0xcd), uint16(v))
	case v <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, 0xce), uint32(v))
	default:
		return binary.BigEndian.AppendUint64(append(b, 0xcf), v)
	}
}

func appendFloat(b []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(append(b, 0xcb), math.Float64bits(v))
}

// appendStr appends a string of any bytes.
func appendStr(b []byte, s string, r rules) []byte {
	if r == busRules && !utf8.ValidString(s) {
		return append(appendBinHead(b, len(s)), s...)
	}
	return append(appendStrHead(b, len(s), r), s...)
}

// appendRaw is appendStr for text in a buffer.
func appendRaw(b, s []byte, r rules) []byte {
	if r == busRules && !utf8.Valid(s) {
		return append(appendBinHead(b, len(s)), s...)
	}
	return append(appendStrHead(b, len(s), r), s...)
}

// appendBytes appends a byte slice.
func appendBytes(b, v []byte, r rules) []byte {
	if r == busRules {
		return append(appendBinHead(b, len(v)), v...)
	}
	return append(appendStrHead(b, len(v), r), v...)
}

// AppendHead appends the head of n bytes as [Encode] packs a []byte, so that the caller can
// append the bytes without a copy.
func AppendHead(b []byte, n int) []byte { return appendStrHead(b, n, wireRules) }

// AppendMapHead appends the head of a map with n pairs.
func AppendMapHead(b []byte, n int) []byte { return appendHead(b, Dict, n) }

// AppendStr appends a string as [Encode] packs it.
func AppendStr(b []byte, s string) []byte { return appendStr(b, s, wireRules) }

func appendStrHead(b []byte, n int, r rules) []byte {
	switch {
	case n <= 31:
		return append(b, 0xa0|byte(n))
	case n <= math.MaxUint8 && r == busRules:
		return append(b, 0xd9, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, 0xda), uint16(n))
	default:
		return binary.BigEndian.AppendUint32(append(b, 0xdb), uint32(n))
	}
}

func appendBinHead(b []byte, n int) []byte {
	switch {
	case n <= math.MaxUint8:
		return append(b, 0xc4, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, 0xc5), uint16(n))
	default:
		return binary.BigEndian.AppendUint32(append(b, 0xc6), uint32(n))
	}
}

// appendHead appends the head of a list of n elements or a map of n pairs.
func appendHead(b []byte, k Kind, n int) []byte {
	fix, h16, h32 := byte(0x90), byte(0xdc), byte(0xdd)
	if k == Dict {
		fix, h16, h32 = 0x80, 0xde, 0xdf
	}
	switch {
	case n <= 15:
		return append(b, fix|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, h16), uint16(n))
	default:
		return binary.BigEndian.AppendUint32(append(b, h32), uint32(n))
	}
}

// closeHead writes the head of a container whose contents are at b[maxHead:], now that their
// count is known, and returns the bytes from the head on.
func closeHead(b []byte, k Kind, n int) []byte {
	var buf [maxHead]byte
	h := appendHead(buf[:0], k, n)
	from := maxHead - len(h)
	copy(b[from:], h)
	return b[from:]
}

// shiftHead is closeHead for contents at b[start+maxHead:]: they are moved up to the head, and
// the bytes before start stay.
func shiftHead(b []byte, start int, k Kind, n int) []byte {
	var buf [maxHead]byte
	h := appendHead(buf[:0], k, n)
	copy(b[start:], h)
	rest := copy(b[start+len(h):], b[start+maxHead:])
	return b[:start+len(h)+rest]
}

func appendExt(b []byte, typ int8, data []byte) []byte {
	switch n := len(data); {
	case n == 1, n == 2, n == 4, n == 8, n == 16:
		b = append(b, 0xd4+byte(bits.TrailingZeros(uint(n))))
	case n <= math.MaxUint8:
		b = append(b, 0xc7, byte(n))
	case n <= math.MaxUint16:
		b = binary.BigEndian.AppendUint16(append(b, 0xc8), uint16(n))
	default:
		b = binary.BigEndian.AppendUint32(append(b, 0xc9), uint32(n))
	}
	return append(append(b, byte(typ)), data...)
}

func appendTime(b []byte, t time.Time) ([]byte, error) {
	t = t.UTC()
	if y := t.Year(); y < 1 || y > 9999 {
		return b, fmt.Errorf("%w: year %d does not fit a Salt datetime", ErrType, y)
	}
	return appendExt(b, extTime, t.AppendFormat(nil, timeLayout)), nil
}
