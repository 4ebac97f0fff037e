package wire

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxJSONDepth allows for the three levels that ToJSON may write for one map.
const maxJSONDepth = 3 * DefaultMaxDepth

// FromJSON encodes JSON by the wire rules. It is the inverse of ToJSON and accepts any other
// JSON as well, with objects in their order. Whole numbers stay ints, or become text if they do
// not fit into 64 bits, as in Salt; numbers with a point or exponent are floats. NaN and
// Infinity are accepted. Single surrogate escapes must be \udc80 to \udcff.
func FromJSON(b []byte) (Raw, error) {
	if len(b) > DefaultMaxBytes {
		return nil, fmt.Errorf("%w: %w", ErrJSON, ErrTooLarge)
	}
	r := jsonReader{src: b, out: make([]byte, 0, len(b)+maxHead)}
	err := r.value(0)
	if err == nil {
		if r.space(); r.at < len(r.src) {
			err = r.fail("something follows the value")
		}
	}
	if err == nil {
		err = Scan(r.out, Limits{})
	}
	if err != nil {
		return nil, err
	}
	return r.out, nil
}

type jsonReader struct {
	src []byte
	at  int
	out []byte
}

func (r *jsonReader) fail(format string, args ...any) error {
	return fmt.Errorf("%w at byte %d: %s", ErrJSON, r.at, fmt.Sprintf(format, args...))
}

// space skips white space and returns the next byte, 0 at the end.
func (r *jsonReader) space() byte {
	for r.at < len(r.src) {
		switch c := r.src[r.at]; c {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return c
		}
	}
	return 0
}

func (r *jsonReader) value(depth int) error {
	if depth > maxJSONDepth {
		return r.fail("%v", ErrTooDeep)
	}
	switch c := r.space(); {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '"':
		s, err := r.text()
		r.out = appendRaw(r.out, s, wireRules)
		return err
	case r.word("null"):
		r.out = appendNil(r.out)
	case r.word("true"):
		r.out = appendBool(r.out, true)
	case r.word("false"):
		r.out = appendBool(r.out, false)
	case r.word("NaN"):
		r.out = appendFloat(r.out, math.NaN())
	case r.word("Infinity"):
		r.out = appendFloat(r.out, math.Inf(1))
	case r.word("-Infinity"):
		r.out = appendFloat(r.out, math.Inf(-1))
	default:
		return r.number()
	}
	return nil
}

func (r *jsonReader) word(w string) bool {
	if !bytes.HasPrefix(r.src[r.at:], []byte(w)) {
		return false
	}
	r.at += len(w)
	return true
}

func (r *jsonReader) number() error {
	start := r.at
	for r.at < len(r.src) && strings.IndexByte("+-.0123456789eE", r.src[r.at]) >= 0 {
		r.at++
	}
	s := string(r.src[start:r.at])
	if !isJSONNumber(s) {
		r.at = start
		return r.fail("no JSON value begins here")
	}
	if strings.ContainsAny(s, ".eE") {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil && !math.IsInf(f, 0) {
			return r.fail("number %q: %v", s, err)
		}
		r.out = appendFloat(r.out, f)
		return nil
	}
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		r.out = appendInt(r.out, v)
	} else if u, err := strconv.ParseUint(s, 10, 64); err == nil {
		r.out = appendUint(r.out, u)
	} else {
		r.out = appendStr(r.out, s, wireRules)
	}
	return nil
}

// isJSONNumber checks -?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?
func isJSONNumber(s string) bool {
	digits := func() bool {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n > 0
	}
	s = strings.TrimPrefix(s, "-")
	if zero := strings.HasPrefix(s, "0"); zero {
		s = s[1:]
	} else if !digits() {
		return false
	}
	if strings.HasPrefix(s, ".") {
		if s = s[1:]; !digits() {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		if s = s[1:]; s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}

// contents reads values up to the closing byte; each reads one of them.
func (r *jsonReader) contents(end byte, each func() error) (n int, err error) {
	r.at++
	if r.space() == end {
		r.at++
		return 0, nil
	}
	for {
		if err := each(); err != nil {
			return n, err
		}
		n++
		switch r.space() {
		case ',':
			r.at++
		case end:
			r.at++
			return n, nil
		default:
			return n, r.fail("want , or %c", end)
		}
	}
}

// open reserves space for the head of a list or map.
func (r *jsonReader) open() (start int) {
	start = len(r.out)
	r.out = append(r.out, make([]byte, maxHead)...)
	return start
}

func (r *jsonReader) close(start int, k Kind, n int) {
	r.out = shiftHead(r.out, start, k, n)
}

func (r *jsonReader) array(depth int) error {
	start := r.open()
	n, err := r.contents(']', func() error { return r.value(depth + 1) })
	r.close(start, List, n)
	return err
}

func (r *jsonReader) object(depth int) error {
	start := r.open()
	var first []byte
	n, err := r.contents('}', func() error {
		if r.space() != '"' {
			return r.fail("want a quoted key")
		}
		key, err := r.text()
		if err != nil {
			return err
		}
		if first == nil {
			first = append([]byte{}, key...)
		}
		if r.space() != ':' {
			return r.fail("want : after the key %q", key)
		}
		r.at++
		r.out = appendRaw(r.out, key, wireRules)
		return r.value(depth + 1)
	})
	if err != nil {
		return err
	}
	r.close(start, Dict, n)
	if n == 1 && isEscapeKey(string(first)) {
		r.unescape(start, string(first))
	}
	return nil
}

// unescape replaces the one-key map at r.out[start:] by the value that it encodes. A map that
// ToJSON does not write stays.
func (r *jsonReader) unescape(start int, key string) {
	val := Raw(r.out[start+2+len(key):]) // a head of one byte, a key of at most 31
	if len(key) > 31 {
		return
	}
	var made []byte
	switch key {
	case jsonExt:
		made = extFromList(val)
	case jsonMap:
		made = mapFromPairs(val)
	default: // remove one "$"
		made = appendHead(nil, Dict, 1)
		made = appendStr(made, key[1:], wireRules)
		made = append(made, val...)
	}
	if made != nil {
		r.out = append(r.out[:start], made...)
	}
}

// extFromList encodes [type, data] as an extension. It returns nil if val is not such a list.
func extFromList(val Raw) []byte {
	if !IsList(val) || Count(val) != 2 {
		return nil
	}
	var typ int64
	var data []byte
	err := Elems(val, func(i int, v Raw) (err error) {
		if i == 0 {
			typ, err = Int(v)
		} else {
			data, err = Bytes(v)
		}
		return err
	})
	if err != nil || typ != int64(int8(typ)) {
		return nil
	}
	return appendExt(nil, int8(typ), data)
}

// mapFromPairs encodes [[key, value], ...] as a map. It returns nil if val is not such a list.
func mapFromPairs(val Raw) []byte {
	if !IsList(val) {
		return nil
	}
	out := appendHead(nil, Dict, Count(val))
	deep := Limits{MaxDepth: maxJSONDepth}
	err := elems(val, deep, func(_ int, pair Raw) error {
		if !IsList(pair) || Count(pair) != 2 {
			return ErrType
		}
		return elems(pair, deep, func(i int, v Raw) error {
			if i == 0 && (IsList(v) || IsMap(v)) {
				return ErrKey
			}
			out = append(out, v...)
			return nil
		})
	})
	if err != nil {
		return nil
	}
	return out
}

// text reads a quoted string into bytes, which are valid until the next call.
func (r *jsonReader) text() ([]byte, error) {
	r.at++
	from := r.at
	end := bytes.IndexAny(r.src[from:], "\"\\")
	if end < 0 {
		return nil, r.fail("string has no end")
	}
	if r.src[from+end] == '"' { // the common case: no escapes
		r.at = from + end + 1
		return r.plain(r.src[from : from+end])
	}
	var out []byte
	for {
		end := bytes.IndexAny(r.src[r.at:], "\"\\")
		if end < 0 {
			return nil, r.fail("string has no end")
		}
		part, err := r.plain(r.src[r.at : r.at+end])
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
		r.at += end + 1
		if r.src[r.at-1] == '"' {
			return out, nil
		}
		if out, err = r.escape(out); err != nil {
			return nil, err
		}
	}
}

// plain checks a part of a string without escapes.
func (r *jsonReader) plain(s []byte) ([]byte, error) {
	if !utf8.Valid(s) {
		return nil, r.fail("string is no UTF-8")
	}
	return s, nil
}

// escape reads the rest of an escape after the backslash.
func (r *jsonReader) escape(out []byte) ([]byte, error) {
	if r.at >= len(r.src) {
		return nil, r.fail("string has no end")
	}
	c := r.src[r.at]
	r.at++
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		return append(out, "\"\\/\b\f\n\r\t"[i]), nil
	}
	if c != 'u' {
		return nil, r.fail("unknown escape \\%c", c)
	}
	v, ok := r.hex4()
	if !ok {
		return nil, r.fail("\\u without four hex digits")
	}
	switch {
	case !utf16.IsSurrogate(v):
		return utf8.AppendRune(out, v), nil
	case v >= 0xdc80 && v <= 0xdcff:
		return append(out, byte(v)), nil
	}
	if r.word(`\u`) {
		if low, ok := r.hex4(); ok {
			if full := utf16.DecodeRune(v, low); full != utf8.RuneError {
				return utf8.AppendRune(out, full), nil
			}
		}
	}
	return nil, r.fail("surrogate \\u%04x stands alone", v)
}

func (r *jsonReader) hex4() (rune, bool) {
	if r.at+4 > len(r.src) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(r.src[r.at:r.at+4]), 16, 16)
	if err != nil {
		return 0, false
	}
	r.at += 4
	return rune(v), true
}
