package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/salt/pyfmt"
)

// jsonStyle is how Python's json.dumps is told to write.
type jsonStyle struct {
	indent   string // "" with pretty false: one line
	pretty   bool
	sortKeys bool
	ascii    bool
	max      int
	r        *jinja.Run
}

func dumpJSON(r *jinja.Run, v any, s jsonStyle) string {
	s.r = r
	b := r.Builder()
	s.write(b, v, 0)
	return b.String()
}

func (s jsonStyle) newline(b *jinja.Builder, depth int) {
	if s.pretty {
		_ = b.WriteByte('\n')
		for range depth {
			_, _ = b.WriteString(s.indent)
		}
	}
}

func (s jsonStyle) comma(b *jinja.Builder) {
	if s.pretty {
		_ = b.WriteByte(',')
	} else {
		_, _ = b.WriteString(", ")
	}
}

func (s jsonStyle) write(b *jinja.Builder, v any, depth int) {
	if depth > 200 {
		fail("Circular reference detected, or values nested more than 200 deep")
	}
	s.r.Walk(4)
	if b.Len() > s.max {
		fail("the JSON is longer than %d bytes", s.max)
	}
	switch v := v.(type) {
	case nil:
		_, _ = b.WriteString("null")
	case bool:
		_, _ = b.WriteString(map[bool]string{true: "true", false: "false"}[v])
	case int64, *big.Int:
		_, _ = b.WriteString(s.r.Str(v))
	case float64:
		_, _ = b.WriteString(jsonFloat(v))
	case string:
		s.quote(b, v)
	case *jinja.List:
		s.list(b, v.Items, depth)
	case jinja.Tuple:
		s.list(b, v, depth)
	case *jinja.Dict:
		s.dict(b, v, depth)
	case *jinja.Undefined:
		_ = s.r.Str(v) // tells that it is undefined
		fail("Object of type Undefined is not JSON serializable")
	default:
		fail("Object of type %s is not JSON serializable", jinja.TypeName(v))
	}
}

func jsonFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return pyfmt.Float(f)
}

func (s jsonStyle) list(b *jinja.Builder, items []any, depth int) {
	if len(items) == 0 {
		_, _ = b.WriteString("[]")
		return
	}
	_ = b.WriteByte('[')
	for i, e := range items {
		if i > 0 {
			s.comma(b)
		}
		s.newline(b, depth+1)
		s.write(b, e, depth+1)
	}
	s.newline(b, depth)
	_ = b.WriteByte(']')
}

func (s jsonStyle) dict(b *jinja.Builder, d *jinja.Dict, depth int) {
	if d.Len() == 0 {
		_, _ = b.WriteString("{}")
		return
	}
	s.r.Room(d.Len())
	keys := d.Keys()
	if s.sortKeys {
		slices.SortStableFunc(keys, func(x, y any) int { s.r.Walk(2); return s.r.Order(x, y) })
	}
	_ = b.WriteByte('{')
	for i, k := range keys {
		if i > 0 {
			s.comma(b)
		}
		s.newline(b, depth+1)
		switch k := k.(type) {
		case string:
			s.quote(b, k)
		case nil:
			_, _ = b.WriteString(`"null"`)
		case bool:
			fmt.Fprintf(b, `"%v"`, k)
		case float64:
			_, _ = b.WriteString(`"` + jsonFloat(k) + `"`)
		case int64, *big.Int:
			_, _ = b.WriteString(`"` + s.r.Str(k) + `"`)
		default:
			fail("keys must be str, int, float, bool or None, not %s", jinja.TypeName(k))
		}
		_, _ = b.WriteString(": ")
		v, _ := s.r.Get(d, k)
		s.write(b, v, depth+1)
	}
	s.newline(b, depth)
	_ = b.WriteByte('}')
}

func (s jsonStyle) quote(b *jinja.Builder, t string) {
	s.r.Work(8 * len(t))
	_ = b.WriteByte('"')
	for _, c := range t {
		switch {
		case c == '"' || c == '\\':
			_ = b.WriteByte('\\')
			_, _ = b.WriteRune(c)
		case c == '\n':
			_, _ = b.WriteString(`\n`)
		case c == '\r':
			_, _ = b.WriteString(`\r`)
		case c == '\t':
			_, _ = b.WriteString(`\t`)
		case c == '\b':
			_, _ = b.WriteString(`\b`)
		case c == '\f':
			_, _ = b.WriteString(`\f`)
		case c < 0x20:
			fmt.Fprintf(b, `\u%04x`, c)
		case c > 0xffff && s.ascii:
			c -= 0x10000
			fmt.Fprintf(b, `\u%04x\u%04x`, 0xd800+c>>10, 0xdc00+c&0x3ff)
		case c > 0x7e && s.ascii:
			fmt.Fprintf(b, `\u%04x`, c)
		default:
			_, _ = b.WriteRune(c)
		}
	}
	_ = b.WriteByte('"')
}

// loadJSON reads one document; keys keep their order, of equal ones the last counts.
func loadJSON(r *jinja.Run, text string) (any, error) {
	r.Work(8 * len(text))
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := jsonValue(r, d, 0)
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("invalid JSON at byte %d: %w", d.InputOffset(), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("invalid JSON: Extra data at byte %d", d.InputOffset())
	}
	return v, nil
}

func jsonValue(r *jinja.Run, d *json.Decoder, depth int) (any, error) {
	if depth > 200 {
		return nil, errors.New("values are nested more than 200 deep")
	}
	r.Walk(16)
	r.Alloc(64)
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case string:
		r.Scratch(2 * len(t))
	case json.Number:
		r.Work(number64(t.String()))
		r.Alloc(len(t))
		if strings.ContainsAny(t.String(), ".eE") {
			f, _ := jinja.ParseFloat(t.String())
			return f, nil
		}
		n, ok := jinja.ParseInt(t.String(), 10)
		if !ok {
			return nil, fmt.Errorf("the number %.40s… is too long", t)
		}
		return n, nil
	case json.Delim:
		if t == '[' {
			l := &jinja.List{}
			for d.More() {
				v, err := jsonValue(r, d, depth+1)
				if err != nil {
					return nil, err
				}
				r.Append(l, v)
			}
			_, err = d.Token()
			return l, err
		}
		m := jinja.NewDict()
		for d.More() {
			k, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := jsonValue(r, d, depth+1)
			if err != nil {
				return nil, err
			}
			r.Set(m, k, v)
		}
		_, err = d.Token()
		return m, err
	}
	return t, nil
}
