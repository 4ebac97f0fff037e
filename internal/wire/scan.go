package wire

import (
	"encoding/binary"
)

// Raw is one undecoded msgpack value. It aliases the bytes that it was cut from.
type Raw []byte

// Value decodes r.
func (r Raw) Value() (any, error) { return Decode(r) }

// Defaults of Limits.
const (
	DefaultMaxBytes = 64 << 20
	DefaultMaxNodes = 4 << 20
)

// Limits bounds values from a stranger. A zero field means the default of the same name.
type Limits struct {
	MaxBytes int // length of the whole value in bytes
	MaxDepth int // nesting of lists and maps
	MaxNodes int // number of values, keys included
}

func (l Limits) orDefault() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = DefaultMaxBytes
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = DefaultMaxDepth
	}
	if l.MaxNodes <= 0 {
		l.MaxNodes = DefaultMaxNodes
	}
	return l
}

// Scan returns an error unless b is exactly one msgpack value within l. Each declared length
// must fit into b. With the default depth it allocates nothing, and it never recurses.
func Scan(b []byte, l Limits) error {
	l = l.orDefault()
	if len(b) > l.MaxBytes {
		return at(0, ErrTooLarge)
	}
	end, err := extent(b, 0, &l)
	if err != nil {
		return err
	}
	if end != len(b) {
		return at(end, ErrTrailing)
	}
	return nil
}

// Next cuts the first value off b. An error that wraps ErrTruncated means that more bytes may
// complete the value; any other error is final.
func Next(b []byte, l Limits) (val Raw, rest []byte, err error) {
	l = l.orDefault()
	end, err := extent(b, 0, &l)
	if err != nil {
		return nil, b, err
	}
	return Raw(b[:end:end]), b[end:], nil
}

// form is the length of the value of a code, or the place of its length.
type form struct {
	skip  uint8 // total bytes if fixed, otherwise bytes before the payload
	class uint8
}

const (
	fixed   = iota // skip is the length of the value
	fixList        // count in the low 4 bits
	fixMap
	len8 // payload length in the next byte
	len16
	len32
	list16
	list32
	map16
	map32
	badCode
)

var forms = func() (t [256]form) {
	for c := range t {
		switch {
		case c <= 0x7f, c >= 0xe0, c == 0xc0, c == 0xc2, c == 0xc3:
			t[c] = form{1, fixed}
		case c <= 0x8f:
			t[c] = form{1, fixMap}
		case c <= 0x9f:
			t[c] = form{1, fixList}
		case c <= 0xbf:
			t[c] = form{uint8(1 + c&0x1f), fixed}
		}
	}
	t[0xc1] = form{1, badCode}
	t[0xc4], t[0xc5], t[0xc6] = form{2, len8}, form{3, len16}, form{5, len32}
	t[0xc7], t[0xc8], t[0xc9] = form{3, len8}, form{4, len16}, form{6, len32}
	t[0xca], t[0xcb] = form{5, fixed}, form{9, fixed}
	for i := range 4 {
		t[0xcc+i] = form{uint8(1 + 1<<i), fixed} // uint8 .. uint64
		t[0xd0+i] = form{uint8(1 + 1<<i), fixed} // int8 .. int64
	}
	for i := range 5 {
		t[0xd4+i] = form{uint8(2 + 1<<i), fixed} // fixext 1 .. 16
	}
	t[0xd9], t[0xda], t[0xdb] = form{2, len8}, form{3, len16}, form{5, len32}
	t[0xdc], t[0xdd] = form{3, list16}, form{5, list32}
	t[0xde], t[0xdf] = form{3, map16}, form{5, map32}
	return t
}()

// extent returns the end of the value that starts at b[i]. It subtracts the nodes from
// l.MaxNodes, so that one budget covers several values.
func extent(b []byte, i int, l *Limits) (int, error) {
	if l.MaxNodes--; l.MaxNodes < 0 {
		return i, at(i, ErrTooMany)
	}
	end, n, err := measure(b, i, l)
	if err != nil || n <= 0 {
		return end, err
	}
	return contents(b, end, n, l)
}

// measure reads the head at b[i]. end is the end of the value, or for a list or map the end of
// its head; n is the number of values in it, -1 for a scalar. It checks bytes and declared
// lengths against b and l, and subtracts n from l.MaxNodes.
func measure(b []byte, i int, l *Limits) (end, n int, err error) {
	if i >= len(b) {
		return i, 0, at(i, ErrTruncated)
	}
	f := forms[b[i]]
	end, n = i+int(f.skip), -1
	if end > len(b) {
		if end > l.MaxBytes {
			return i, 0, at(i, ErrTooLarge)
		}
		return i, 0, at(i, ErrTruncated)
	}
	if f.class == fixed {
		if end > l.MaxBytes {
			return i, 0, at(i, ErrTooLarge)
		}
		return end, n, nil
	}
	switch f.class {
	case fixMap:
		n = 2 * int(b[i]&0x0f)
	case fixList:
		n = int(b[i] & 0x0f)
	case len8:
		end += int(b[i+1])
	case len16:
		end += int(binary.BigEndian.Uint16(b[i+1:]))
	case len32:
		end += int(binary.BigEndian.Uint32(b[i+1:]))
	case list16:
		n = int(binary.BigEndian.Uint16(b[i+1:]))
	case list32:
		n = int(binary.BigEndian.Uint32(b[i+1:]))
	case map16:
		n = 2 * int(binary.BigEndian.Uint16(b[i+1:]))
	case map32:
		n = 2 * int(binary.BigEndian.Uint32(b[i+1:]))
	default:
		return i, 0, at(i, ErrBadCode)
	}
	if end > l.MaxBytes {
		return i, 0, at(i, ErrTooLarge)
	}
	if n >= 0 {
		if l.MaxDepth <= 0 {
			return i, 0, at(i, ErrTooDeep)
		}
		if l.MaxNodes -= n; l.MaxNodes < 0 {
			return i, 0, at(i, ErrTooMany)
		}
	}
	if end > len(b) || n > len(b)-end {
		return i, 0, at(i, ErrTruncated)
	}
	return end, n, nil
}

// contents returns the end of the n values at b[i:] and of all values in them.
func contents(b []byte, i, n int, l *Limits) (int, error) {
	var buf [DefaultMaxDepth]int
	stack := buf[:0] // values still expected in the containers around this one
	l.MaxDepth--     // one is open
	for {
		end, inside, err := measure(b, i, l)
		if err != nil {
			return i, err
		}
		i = end
		n--
		if inside > 0 {
			stack = append(stack, n)
			n = inside
			l.MaxDepth--
		}
		for n == 0 {
			l.MaxDepth++
			if len(stack) == 0 {
				return i, nil
			}
			n = stack[len(stack)-1]
			stack = stack[:len(stack)-1]
		}
	}
}
