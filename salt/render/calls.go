package render

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/value"
)

// Tree is a [Loader] that can list an environment, for slsutil.file_exists and similar
// functions. Paths have no scheme.
type Tree interface {
	Files(ctx context.Context, saltenv string) ([]string, error)
	Folders(ctx context.Context, saltenv string) ([]string, error)
}

// Reader reads the source of slsutil.renderer in an environment: a salt:// address, or
// another one that the host allows. It returns at most limit bytes.
type Reader func(ctx context.Context, saltenv, url string, limit int) ([]byte, error)

// Call calls one of the functions of [Pure] outside of a template, with the variables of t.
// The function may change its arguments: the caller must not use them afterwards.
func (e *Engine) Call(ctx context.Context, t Template, name string, args []any, kwargs *value.Map) (out any, err error) {
	f := pure[name]
	if f == nil {
		return nil, fmt.Errorf("%s: %w", name, ErrNoFunction)
	}
	j := &job{ctx: ctx, engine: e, t: t}
	j.vars = j.variables()
	r := e.file.Begin(ctx, jinja.Start{Vars: j.vars, Load: j.load, Data: j, Name: name})
	err = caught(func() {
		a := jinja.NewArgs()
		for _, v := range args {
			a.Pos = append(a.Pos, r.Take(v))
		}
		kwargs.Range(func(k, v any) bool {
			if text, ok := k.(string); ok {
				a.Set(text, r.Take(v))
			}
			return true
		})
		out, err = r.Give(f(j, r, a))
		if err != nil {
			jinja.Throw(err)
		}
	})
	var f2 *jinja.Error
	if errors.As(err, &f2) && f2.Kind == jinja.KindFunction {
		return nil, &Refused{Text: f2.Text}
	}
	return out, err
}
