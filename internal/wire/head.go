package wire

import (
	"encoding/binary"
	"math"
)

// Kind is the kind of a msgpack value.
type Kind uint8

// The kinds. Text is the raw family: text or bytes, because Salt packs both alike.
const (
	Invalid Kind = iota
	Nil
	Boolean
	Integer
	Real
	Text
	Bin
	List
	Dict
	Extension
)

var kindNames = [...]string{
	"nothing", "nil", "bool", "int", "float", "text", "bytes", "list", "map", "extension",
}

func (k Kind) String() string { return kindNames[k] }

// KindOf returns the kind of r by its first byte; Invalid if r is empty.
func KindOf(r Raw) Kind {
	if len(r) == 0 {
		return Invalid
	}
	switch c := r[0]; {
	case c <= 0x7f, c >= 0xe0, c >= 0xcc && c <= 0xd3:
		return Integer
	case c <= 0x8f, c == 0xde, c == 0xdf:
		return Dict
	case c <= 0x9f, c == 0xdc, c == 0xdd:
		return List
	case c <= 0xbf, c >= 0xd9 && c <= 0xdb:
		return Text
	case c == 0xc0:
		return Nil
	case c == 0xc2, c == 0xc3:
		return Boolean
	case c >= 0xc4 && c <= 0xc6:
		return Bin
	case c == 0xca, c == 0xcb:
		return Real
	case c == 0xc1:
		return Invalid
	default:
		return Extension
	}
}

// IsNil reports whether r is absent or None.
func IsNil(r Raw) bool { return len(r) == 0 || r[0] == 0xc0 }

// IsEmptyMap reports whether r is a map without entries.
func IsEmptyMap(r Raw) bool { return len(r) == 1 && r[0] == 0x80 }

// IsMap reports whether r is a map.
func IsMap(r Raw) bool { return KindOf(r) == Dict }

// IsList reports whether r is a list.
func IsList(r Raw) bool { return KindOf(r) == List }

// head is the start of one value: its kind, the number of bytes before the payload, and the
// length of the payload, or the count of elements of a list or pairs of a map.
type head struct {
	kind Kind
	size int
	n    int
}

// headAt reads the head at b[i] and checks that head and payload are complete. It does not
// check counts of lists and maps: the caller has called Scan.
func headAt(b []byte, i int) (head, error) {
	if i >= len(b) {
		return head{}, at(i, ErrTruncated)
	}
	f := forms[b[i]]
	h := head{kind: KindOf(Raw(b[i : i+1])), size: int(f.skip)}
	if i+h.size > len(b) {
		return head{}, at(i, ErrTruncated)
	}
	payload := 0
	switch f.class {
	case badCode:
		return head{}, at(i, ErrBadCode)
	case fixMap, fixList:
		h.n = int(b[i] & 0x0f)
	case len8:
		payload = int(b[i+1])
	case len16:
		payload = int(binary.BigEndian.Uint16(b[i+1:]))
	case len32:
		payload = int(binary.BigEndian.Uint32(b[i+1:]))
	case list16, map16:
		h.n = int(binary.BigEndian.Uint16(b[i+1:]))
	case list32, map32:
		h.n = int(binary.BigEndian.Uint32(b[i+1:]))
	case fixed:
		h.size = 1
		if h.kind == Extension {
			h.size = 2
		}
		payload = int(f.skip) - h.size
	}
	if h.kind != List && h.kind != Dict {
		h.n = payload
	}
	if payload > len(b)-i-h.size {
		return head{}, at(i, ErrTruncated)
	}
	return h, nil
}

// number reads the integer at b[i], whose head was checked. If big is true, the value exceeds
// int64 and its bits are a uint64.
func number(b []byte, i int) (v int64, big bool) {
	p := b[i+1:]
	switch c := b[i]; c {
	case 0xcc:
		return int64(p[0]), false
	case 0xcd:
		return int64(binary.BigEndian.Uint16(p)), false
	case 0xce:
		return int64(binary.BigEndian.Uint32(p)), false
	case 0xcf:
		u := binary.BigEndian.Uint64(p)
		return int64(u), u > math.MaxInt64
	case 0xd0:
		return int64(int8(p[0])), false
	case 0xd1:
		return int64(int16(binary.BigEndian.Uint16(p))), false
	case 0xd2:
		return int64(int32(binary.BigEndian.Uint32(p))), false
	case 0xd3:
		return int64(binary.BigEndian.Uint64(p)), false
	default:
		return int64(int8(c)), false
	}
}

// real64 reads the float at b[i], whose head was checked.
func real64(b []byte, i int) float64 {
	if b[i] == 0xca {
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b[i+1:])))
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b[i+1:]))
}

// extension splits the extension at b[i], whose head h was checked.
func extension(b []byte, i int, h head) (typ int8, data []byte) {
	return int8(b[i+h.size-1]), b[i+h.size : i+h.size+h.n]
}
