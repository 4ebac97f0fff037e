package states

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// tree is the files of environments: "env/path" → text.
type tree map[string]string

func (t tree) Envs(context.Context) ([]string, error) {
	out := []string{"base"}
	for k := range t {
		env, _, _ := cut(k)
		if !slices.Contains(out, env) {
			out = append(out, env)
		}
	}
	slices.Sort(out)
	return out, nil
}

func cut(k string) (env, path string, ok bool) {
	for i := range k {
		if k[i] == '/' {
			return k[:i], k[i+1:], true
		}
	}
	return k, "", false
}

func (t tree) Files(_ context.Context, env string) ([]string, error) {
	var out []string
	for k := range t {
		if e, path, _ := cut(k); e == env {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (t tree) Open(_ context.Context, env, path string) ([]byte, error) {
	if s, ok := t[env+"/"+path]; ok {
		return []byte(s), nil
	}
	return nil, fs.ErrNotExist
}

func (t tree) Tops(context.Context) (*value.Map, error) { return nil, nil }

// plain renders YAML only.
type plain struct{}

func (plain) Render(_ context.Context, t Template) (any, error) { return pyfmt.ReadYAML(t.Data) }

// ran records the names of the functions called, in order.
type ran struct{ calls []string }

func (r *ran) Spec(name string) (Spec, bool) {
	args := []Arg{{Name: "name", Required: true}}
	switch name {
	case "test.good", "test.bad", "test.change", "test.mod_watch", "plain.good", "plain.change":
		return Spec{Args: args, VarKw: true}, true
	case "test.strict":
		return Spec{Args: args}, true
	}
	return Spec{}, false
}

func (r *ran) Missing(name string) string { return fmt.Sprintf("'%s' is not available.", name) }

func (r *ran) Run(_ context.Context, c *Call) (*Result, error) {
	r.calls = append(r.calls, c.Fun+" "+c.Name())
	res := &Result{Name: c.Name(), Result: true, Comment: "Success!"}
	switch c.Fun {
	case "test.bad":
		res.Result = false
	case "test.change", "plain.change":
		res.Changes = value.NewMap("a", "b")
		if c.Test {
			res.Result = nil
		}
	case "test.mod_watch":
		res.Changes, res.Comment = value.NewMap("watched", true), "Watch statement fired."
	}
	return res, nil
}

// newRun returns a run with the files of base.
func newRun(t *testing.T, files tree, change func(*Options)) (*Run, *ran) {
	t.Helper()
	fns := &ran{}
	o := Options{Functions: fns, Source: files, Renderer: plain{}, ID: "m1", Subject: target.ID("m1")}
	if change != nil {
		change(&o)
	}
	return New(o), fns
}

// apply runs SLS files by name.
func apply(t *testing.T, files tree, change func(*Options), names ...string) (Outcome, *ran) {
	t.Helper()
	r, fns := newRun(t, files, change)
	out, err := r.SLS(t.Context(), names, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out, fns
}
