package pyfmt

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSONForm configures [WriteJSON]. Its zero value writes one line, like json.dumps with
// ensure_ascii=False.
type JSONForm struct {
	// Lines starts a line for each element; Indent is the indentation per level.
	Lines  bool
	Indent string
	// SortKeys sorts the keys of maps; otherwise they keep their order.
	SortKeys bool
	// ASCII escapes characters beyond ASCII.
	ASCII bool
	// Escape reports which other characters are escaped; nil: none.
	Escape func(r rune) bool
	// Default writes values that JSON cannot represent as their repr; otherwise they are an
	// error.
	Default bool
	// MaxDepth is the deepest nesting of lists and maps; 0 means no limit.
	MaxDepth int
}

// JSON returns v, a value of package value, as JSON. See [WriteJSON].
func JSON(v any, f JSONForm) (string, error) {
	var b strings.Builder
	err := WriteJSON(&b, v, f, Values{})
	return b.String(), err
}

// WriteJSON writes v as json.dumps of Python does. It returns an error for a value or key
// that JSON cannot represent.
func WriteJSON(w Writer, v any, f JSONForm, m Model) error {
	return (&jsonWriter{w, f, m}).value(v, 0)
}

type jsonWriter struct {
	Writer
	form  JSONForm
	model Model
}

func (w *jsonWriter) text(s string) { _, _ = w.WriteString(s) }

// begin starts an element of a list or map.
func (w *jsonWriter) begin(i, depth int) {
	if i > 0 {
		_ = w.WriteByte(',')
		if !w.form.Lines {
			_ = w.WriteByte(' ')
		}
	}
	w.newline(depth)
}

func (w *jsonWriter) newline(depth int) {
	if w.form.Lines {
		_ = w.WriteByte('\n')
		for range depth {
			w.text(w.form.Indent)
		}
	}
}

func (w *jsonWriter) value(v any, depth int) error {
	if w.form.MaxDepth > 0 && depth > w.form.MaxDepth {
		return errors.New("Circular reference detected, or " + depthError(w.form.MaxDepth).Error())
	}
	n := w.model.Open(v)
	switch n.Kind {
	case Dict:
		return w.dict(n.Pairs, depth)
	case List, Tuple:
		_ = w.WriteByte('[')
		for i, e := range n.Items {
			w.begin(i, depth+1)
			if err := w.value(e, depth+1); err != nil {
				return err
			}
		}
		w.end(n, depth)
		return nil
	}
	if s, ok := n.Value.(string); ok && utf8.ValidString(s) {
		w.quote(s)
		return nil
	}
	s, ok := w.scalar(n.Value)
	switch {
	case ok:
		w.text(s)
	case w.form.Default:
		w.quote(w.model.Repr(n.Value))
	default:
		return fmt.Errorf("Object of type %s is not JSON serializable", w.model.TypeName(v))
	}
	return nil
}

func (w *jsonWriter) dict(ps []Pair, depth int) error {
	if w.form.SortKeys && !sortPairs(w.model, ps) {
		return w.unordered(ps)
	}
	_ = w.WriteByte('{')
	for i, p := range ps {
		w.begin(i, depth+1)
		if err := w.key(p.Key); err != nil {
			return err
		}
		w.text(": ")
		if err := w.value(p.Val, depth+1); err != nil {
			return err
		}
	}
	w.end(Node{Kind: Dict, Pairs: ps}, depth)
	return nil
}

// unordered returns an error that names two keys that Python cannot compare.
func (w *jsonWriter) unordered(ps []Pair) error {
	for i := range ps[1:] {
		_, s := ps[i].Key.(string)
		_, t := ps[i+1].Key.(string)
		if (!s || !t) && (!isNumber(ps[i].Key) || !isNumber(ps[i+1].Key)) {
			return fmt.Errorf("'<' not supported between instances of '%s' and '%s'", w.model.TypeName(ps[i+1].Key), w.model.TypeName(ps[i].Key))
		}
	}
	return errors.New("keys cannot be sorted")
}

// end closes a list or map.
func (w *jsonWriter) end(n Node, depth int) {
	if n.size() > 0 {
		w.newline(depth)
	}
	if n.Kind == Dict {
		_ = w.WriteByte('}')
	} else {
		_ = w.WriteByte(']')
	}
}

func (w *jsonWriter) key(k any) error {
	if s, ok := k.(string); ok && utf8.ValidString(s) {
		w.quote(s)
		return nil
	}
	s, ok := w.scalar(k)
	if !ok {
		return fmt.Errorf("keys must be str, int, float, bool or None, not %s", w.model.TypeName(k))
	}
	w.quote(s)
	return nil
}

// scalar returns the text of a value other than a string or bytes.
func (w *jsonWriter) scalar(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "null", true
	case bool:
		return strconv.FormatBool(v), true
	case int, int64, uint64, *big.Int:
		return w.model.Repr(v), true
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN", true
		case math.IsInf(v, 1):
			return "Infinity", true
		case math.IsInf(v, -1):
			return "-Infinity", true
		}
		return Float(v), true
	}
	return "", false
}

var jsonEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`}

// quote writes a string. It copies runs of plain characters at once.
func (w *jsonWriter) quote(s string) {
	w.model.Work(8 * len(s))
	_ = w.WriteByte('"')
	for s != "" {
		n := 0
		for n < len(s) && s[n] >= ' ' && s[n] < 0x7f && s[n] != '"' && s[n] != '\\' {
			n++
		}
		w.text(s[:n])
		if s = s[n:]; s == "" {
			break
		}
		r, size := utf8.DecodeRuneInString(s)
		w.escape(r)
		s = s[size:]
	}
	_ = w.WriteByte('"')
}

// escape writes a character of a string.
func (w *jsonWriter) escape(r rune) {
	escape := r < ' ' || w.form.ASCII && r > '~' || w.form.Escape != nil && w.form.Escape(r)
	switch {
	case r < ' ' && jsonEscapes[r] != "", r == '"', r == '\\':
		w.text(jsonEscapes[r])
	case escape && r > 0xffff:
		r -= 0x10000
		w.text(fmt.Sprintf(`\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff))
	case escape:
		w.text(fmt.Sprintf(`\u%04x`, r))
	default:
		_, _ = w.WriteRune(r)
	}
}
