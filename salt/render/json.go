package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/salt/pyfmt"
)

// maxNested is the deepest nesting of a value to write.
const maxNested = 200

// jsonModel adapts the values of a template to the writer of JSON.
type jsonModel struct{ jinja.Model }

func (m jsonModel) Open(v any) pyfmt.Node {
	if u, ok := v.(*jinja.Undefined); ok {
		_ = jinja.Truth(u) // fails if it is strict
	}
	return m.Model.Open(v)
}

func dumpJSON(r *jinja.Run, v any, f pyfmt.JSONForm) string {
	f.MaxDepth = maxNested
	b := r.Builder()
	if err := pyfmt.WriteJSON(b, v, f, jsonModel{r.Model()}); err != nil {
		fail("%v", err)
	}
	return b.String()
}

// loadJSON parses one document. It keeps the order of keys; of duplicates the last counts.
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
