package render_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// files is a Loader of files in a map.
type files map[string]string

func (f files) Open(_ context.Context, _, path string) ([]byte, error) {
	if text, ok := f[path]; ok {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

// plain converts values of the corpus. Maps of JSON have no order; cases depend on it only
// through the text of the pillar.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = plain(e)
		}
		return out
	}
	return v
}

// ordered parses a JSON document and keeps the order of keys.
func ordered(t testing.TB, raw json.RawMessage) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var read func() any
	read = func() any {
		tok, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch tok {
		case json.Delim('{'):
			m := value.NewMap()
			for d.More() {
				k, _ := d.Token()
				m.Set(k, read())
			}
			_, _ = d.Token()
			return m
		case json.Delim('['):
			l := []any{}
			for d.More() {
				l = append(l, read())
			}
			_, _ = d.Token()
			return l
		}
		return plain(tok)
	}
	return read()
}

// shown returns a value in the form of the corpus, for what JSON cannot hold: maps are
// pairs, and floats are text.
func shown(v any) any {
	m, ok := v.(*value.Map)
	if !ok {
		if l, ok := v.([]any); ok {
			out := make([]any, len(l))
			for i, e := range l {
				out[i] = shown(e)
			}
			return out
		}
		return v
	}
	if f, ok := m.Get("$float"); ok {
		return raw(f.(string))
	}
	out := value.NewMap()
	for _, p := range m.List("$map") {
		out.Set(shown(p.([]any)[0]), shown(p.([]any)[1]))
	}
	return out
}

type raw string

func repr(v any) string {
	switch v := v.(type) {
	case raw:
		return string(v)
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, repr(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *value.Map:
		var parts []string
		v.Range(func(k, e any) bool { parts = append(parts, repr(k)+": "+repr(e)); return true })
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return pyfmt.Repr(v)
}

func TestCorpus(t *testing.T) {
	data, err := os.ReadFile("testdata/corpus.json")
	if err != nil {
		t.Fatal(err)
	}
	var parts struct{ Grains, Pillar, Files, Cases json.RawMessage }
	if err := json.Unmarshal(data, &parts); err != nil {
		t.Fatal(err)
	}
	var loader files
	if err := json.Unmarshal(parts.Files, &loader); err != nil {
		t.Fatal(err)
	}
	vars := value.NewMap("grains", ordered(t, parts.Grains), "pillar", ordered(t, parts.Pillar),
		"opts", value.NewMap("id", "m1", "test", false))
	var raws []json.RawMessage
	if err := json.Unmarshal(parts.Cases, &raws); err != nil {
		t.Fatal(err)
	}
	if len(raws) < 400 {
		t.Fatalf("%d cases", len(raws))
	}
	engines := map[string]*render.Engine{}
	for _, rc := range raws {
		c := ordered(t, rc).(*value.Map)
		name := c.String("name")
		opts := c.Map("opts")
		e := engines[repr(opts)]
		if e == nil {
			e, err = render.New(render.Options{Loader: loader, AllowUndefined: opts.Bool("allow_undefined"), SLSEnv: opts.Map("jinja_sls_env")})
			if err != nil {
				t.Fatal(err)
			}
			engines[repr(opts)] = e
		}
		tmpl := render.Template{Source: []byte(c.String("source")), SLS: c.String("sls"), Saltenv: "base", Path: c.String("path"), Vars: vars}
		var got any
		var err error
		if c.String("kind") == "sls" {
			got, err = e.SLS(t.Context(), tmpl, "jinja|yaml")
		} else {
			got, err = e.Text(t.Context(), tmpl)
		}
		problem := compare(c, got, err)
		_, known := different[name]
		switch {
		case problem != "" && !known:
			t.Errorf("%s: %q\n%s", name, c.String("source"), problem)
		case problem == "" && known:
			t.Errorf("%s is the same as Salt's now: take it off the list of differences", name)
		}
	}
}

// compare describes how a result differs from Salt's; "" if it does not.
func compare(c *value.Map, got any, err error) string {
	if c.Has("error") {
		if err == nil {
			return "want error " + c.String("error") + ", got " + repr(got)
		}
		var f *render.Error
		if !errors.As(err, &f) {
			return "no render.Error: " + err.Error()
		}
		if f.Text != c.String("error") {
			return cmp.Diff(c.String("error"), f.Text)
		}
		if lines := c.String("lines"); lines != "" && lines != f.Lines {
			return cmp.Diff(lines, f.Lines)
		}
		if n := int(c.Int("line")); n > 0 && f.Line != n {
			return cmp.Diff(n, f.Line)
		}
		return ""
	}
	if err != nil {
		return "got error " + err.Error()
	}
	want, _ := c.Get("text")
	if c.Has("value") {
		v, _ := c.Get("value")
		want = shown(v)
	}
	return cmp.Diff(repr(want), repr(got))
}
