package states

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/value"
)

// textName replaces the name of a template that is a text.
const textName = "<template-str>"

// Text runs the states of a text in the form of an SLS file. It belongs to no environment,
// and has no include, exclude or extend.
func (r *Run) Text(ctx context.Context, text string) (Outcome, error) {
	v, err := r.o.Renderer.Render(ctx, Template{Data: []byte(text), Saltenv: "base"})
	if err != nil {
		return Outcome{}, err
	}
	high, ok := copied(v).(*value.Map)
	if !ok {
		return Outcome{Errors: []string{fmt.Sprintf("Template %s does not render to a dictionary", textName)}}, nil
	}
	for _, word := range []string{"include", "exclude", "extends"} {
		if high.Has(word) {
			return Outcome{Errors: []string{fmt.Sprintf("The '%s' declaration found on '%s' is invalid when rendering single templates", word, textName)}}, nil
		}
	}
	errs := declare(high, "", "")
	for i, e := range errs {
		errs[i] = strings.NewReplacer(" in SLS ''", " in template '"+textName+"'", " in SLS ", " in template "+textName).Replace(e)
	}
	if len(errs) > 0 {
		return Outcome{Errors: errs}, nil
	}
	// Such states belong to no SLS: their results have null.
	high.Range(func(_, body any) bool {
		if m, ok := body.(*value.Map); ok {
			m.Delete("__sls__")
			m.Delete("__env__")
		}
		return true
	})
	return r.High(ctx, high)
}

// File runs the states of an SLS file of this host. Its name in the results is the path.
func (r *Run) File(ctx context.Context, path string, data []byte) (Outcome, error) {
	env := r.o.Saltenv
	v, err := r.o.Renderer.Render(ctx, Template{Data: data, Saltenv: env, SLS: path, Path: path})
	if cause := ctx.Err(); cause != nil {
		return Outcome{}, cause
	}
	if err != nil {
		return Outcome{Errors: []string{fmt.Sprintf("Rendering SLS '%s:%s' failed: %v", env, path, err)}}, nil
	}
	high, ok := copied(v).(*value.Map)
	if !ok {
		if !pyfmt.Truth(v) {
			return Outcome{Results: value.NewMap()}, nil
		}
		return Outcome{Errors: []string{fmt.Sprintf("SLS %s does not render to a dictionary", path)}}, nil
	}
	c := &collection{Run: r, mods: map[string]bool{}, matches: value.NewMap()}
	errs, err := c.complete(ctx, high, path, env, path)
	if err != nil || len(errs) > 0 {
		return Outcome{Errors: errs}, err
	}
	cleanExtends(high)
	return r.High(ctx, high)
}
