package wire

import (
	"strconv"
	"strings"
)

// only reads the head of r and checks that r is exactly one value.
func only(r Raw) (head, error) {
	h, err := headAt(r, 0)
	if err != nil {
		return h, err
	}
	if h.kind != List && h.kind != Dict && h.size+h.n != len(r) {
		return h, at(h.size+h.n, ErrTrailing)
	}
	return h, nil
}

// Bytes returns the payload of a text or bytes value. It aliases r.
func Bytes(r Raw) ([]byte, error) {
	h, err := only(r)
	if err != nil {
		return nil, err
	}
	if h.kind != Text && h.kind != Bin {
		return nil, wrongType("text or bytes", r)
	}
	return r[h.size:], nil
}

// Str returns a text or bytes value as a string with the same bytes, valid UTF-8 or not.
func Str(r Raw) (string, error) {
	b, err := Bytes(r)
	return string(b), err
}

// Int converts a value like Python's int(): ints stay, floats are truncated, bools become 0 and
// 1, decimal text is parsed.
func Int(r Raw) (int64, error) {
	h, err := only(r)
	if err != nil {
		return 0, err
	}
	switch h.kind {
	case Integer:
		if v, big := number(r, 0); !big {
			return v, nil
		}
	case Real:
		if f := real64(r, 0); f > -(1<<63) && f < 1<<63 {
			return int64(f), nil
		}
	case Boolean:
		return int64(r[0] & 1), nil
	case Text, Bin:
		if v, err := strconv.ParseInt(strings.TrimSpace(string(r[h.size:])), 10, 64); err == nil {
			return v, nil
		}
	}
	return 0, wrongType("a 64-bit int", r)
}

// Truth returns the truth value of a value in Python: None, False, zero and empty values are
// false. Invalid bytes are false, too.
func Truth(r Raw) bool {
	h, err := headAt(r, 0)
	if err != nil {
		return false
	}
	switch h.kind {
	case Nil:
		return false
	case Boolean:
		return r[0] == 0xc3
	case Integer:
		v, big := number(r, 0)
		return v != 0 || big
	case Real:
		return real64(r, 0) != 0
	case Extension:
		return true
	default:
		return h.n > 0
	}
}
