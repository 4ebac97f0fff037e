package wire

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Values that JSON cannot represent are written as a map with one of these keys. A real map
// with that one key gets another "$" in front, so that the two are not confused.
const (
	jsonExt = "$ext" // [type, data]
	jsonMap = "$map" // [[key, value], ...], for maps with keys that are not strings
)

// ToJSON writes a value as JSON in the form of Python's json.dumps without ensure_ascii: keys
// in map order, ", " and ": " as separators, NaN and Infinity as words. Bytes that are not
// UTF-8 become \udc80 to \udcff escapes (Python's surrogateescape). FromJSON returns the same
// value; only the difference between text and bin is lost, which Salt's wire encoding does not
// have either.
func ToJSON(r Raw) ([]byte, error) {
	if err := Scan(r, Limits{}); err != nil {
		return nil, err
	}
	w := jsonWriter{src: r, out: make([]byte, 0, len(r)+len(r)/2+16), odd: oddMaps(r)}
	err := w.value()
	return w.out, err
}

// ToPlainJSON is ToJSON for programs that read nothing but valid JSON: NaN and infinities become
// null, and each run of bytes that are not UTF-8 becomes U+FFFD.
func ToPlainJSON(r Raw) ([]byte, error) {
	if err := Scan(r, Limits{}); err != nil {
		return nil, err
	}
	w := jsonWriter{src: r, out: make([]byte, 0, len(r)+len(r)/2+16), odd: oddMaps(r), plain: true}
	err := w.value()
	return w.out, err
}

type jsonWriter struct {
	src   []byte
	at    int
	out   []byte
	odd   map[int]bool // starts of the contents of maps with a key that is not a string
	plain bool         // see ToPlainJSON
}

// oddMaps finds, in one pass over scanned bytes, the starts of the contents of the maps with a
// key that is not a string.
func oddMaps(b []byte) map[int]bool {
	type open struct {
		from, left int
		dict       bool
	}
	var odd map[int]bool
	buf := make([]open, 0, DefaultMaxDepth)
	stack := append(buf, open{left: 1})
	lim := Limits{}.orDefault()
	for i := 0; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.left == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		kind := KindOf(b[i:])
		if top.dict && top.left%2 == 0 && kind != Text && kind != Bin {
			if odd == nil {
				odd = map[int]bool{}
			}
			odd[top.from] = true
		}
		top.left--
		end, n, err := measure(b, i, &lim)
		if err != nil {
			return odd
		}
		if i = end; n > 0 {
			stack = append(stack, open{from: end, left: n, dict: kind == Dict})
		}
	}
	return odd
}

func (w *jsonWriter) value() error {
	start := w.at
	h, err := headAt(w.src, start)
	if err != nil {
		return err
	}
	w.at += h.size
	switch h.kind {
	case List:
		return w.list(h.n)
	case Dict:
		return w.dict(h.n)
	}
	w.at += h.n
	if h.kind == Extension {
		w.ext(extension(w.src, start, h))
		return nil
	}
	w.scalar(start, h)
	return nil
}

func (w *jsonWriter) scalar(start int, h head) {
	switch h.kind {
	case Nil:
		w.word("null")
	case Boolean:
		w.out = strconv.AppendBool(w.out, w.src[start] == 0xc3)
	case Integer:
		if v, big := number(w.src, start); big {
			w.out = strconv.AppendUint(w.out, uint64(v), 10)
		} else {
			w.out = strconv.AppendInt(w.out, v, 10)
		}
	case Real:
		f := real64(w.src, start)
		if w.plain && (math.IsNaN(f) || math.IsInf(f, 0)) {
			w.word("null")
			return
		}
		w.out = appendPyFloat(w.out, f)
	default:
		w.text(w.src[start+h.size : start+h.size+h.n])
	}
}

func (w *jsonWriter) word(s string) { w.out = append(w.out, s...) }

// text quotes a string of any bytes.
func (w *jsonWriter) text(s []byte) {
	if w.plain && !utf8.Valid(s) {
		s = bytes.ToValidUTF8(s, []byte("\uFFFD"))
	}
	w.out = appendJSONString(w.out, s)
}

func (w *jsonWriter) list(n int) error {
	w.word("[")
	for i := range n {
		if i > 0 {
			w.word(", ")
		}
		if err := w.value(); err != nil {
			return err
		}
	}
	w.word("]")
	return nil
}

func (w *jsonWriter) dict(n int) error {
	if w.odd[w.at] {
		return w.pairs(n)
	}
	w.word("{")
	for i := range n {
		if i > 0 {
			w.word(", ")
		}
		if err := w.objectKey(n); err != nil {
			return err
		}
		w.word(": ")
		if err := w.value(); err != nil {
			return err
		}
	}
	w.word("}")
	return nil
}

// pairs writes a map as {"$map": [[key, value], ...]}.
func (w *jsonWriter) pairs(n int) error {
	w.word(`{"` + jsonMap + `": [`)
	for i := range n {
		if i > 0 {
			w.word(", ")
		}
		if err := w.list(2); err != nil {
			return err
		}
	}
	w.word("]}")
	return nil
}

// objectKey writes one key of a map of n pairs.
func (w *jsonWriter) objectKey(n int) error {
	start := w.at
	h, err := headAt(w.src, start)
	if err != nil {
		return err
	}
	switch h.kind {
	case List, Dict, Extension:
		return at(start, fmt.Errorf("%w: %s", ErrKey, h.kind))
	}
	w.at += h.size + h.n
	if h.kind != Text && h.kind != Bin {
		w.word(`"`)
		w.scalar(start, h)
		w.word(`"`)
		return nil
	}
	name := w.src[start+h.size : w.at]
	if n == 1 && isEscapeKey(string(name)) {
		w.word(`"$`)
		w.word(string(name))
		w.word(`"`)
		return nil
	}
	w.text(name)
	return nil
}

// isEscapeKey reports whether a key is "$ext" or "$map" with any number of "$".
func isEscapeKey(k string) bool {
	rest := strings.TrimLeft(k, "$")
	return len(rest) < len(k) && (rest == jsonExt[1:] || rest == jsonMap[1:])
}

func (w *jsonWriter) ext(typ int8, data []byte) {
	w.word(`{"` + jsonExt + `": [`)
	w.out = strconv.AppendInt(w.out, int64(typ), 10)
	w.word(", ")
	w.text(data)
	w.word("]}")
}

// isoTime formats a time like Python's datetime.isoformat: with a fraction only if it is not
// zero.
func isoTime(t time.Time) string {
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05")
	}
	return t.Format("2006-01-02T15:04:05.000000")
}

// appendPyFloat appends a float like Python's repr.
func appendPyFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	}
	start := len(b)
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	b = strconv.AppendFloat(b, f, 'f', -1, 64)
	if !bytes.ContainsRune(b[start:], '.') {
		b = append(b, ".0"...)
	}
	return b
}

// appendJSONString quotes a string of any bytes.
func appendJSONString(b, s []byte) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRune(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		b = append(b, s[from:i]...)
		b = appendEscape(b, c)
		i += size
		from = i
	}
	return append(append(b, s[from:]...), '"')
}

// appendEscape appends the escape of a byte.
func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	case '\f':
		return append(b, `\f`...)
	case '\b':
		return append(b, `\b`...)
	}
	if c >= utf8.RuneSelf {
		return hex.AppendEncode(append(b, `\udc`...), []byte{c})
	}
	return hex.AppendEncode(append(b, `\u00`...), []byte{c})
}
