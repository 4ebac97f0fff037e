package states

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/value"
)

// Top merges the top files: environment → target → SLS list. As in Salt, a top file that
// fails to render is empty; the cause is logged.
func (r *Run) Top(ctx context.Context) (*value.Map, error) {
	all, err := r.readTops(ctx)
	var bad *TopError
	if errors.As(err, &bad) {
		r.o.Log.Error("top file not rendered", "err", bad.Msg)
		return value.NewMap(), nil
	}
	if err != nil {
		return nil, err
	}
	top, err := r.merged(all)
	if errors.As(err, &bad) {
		return nil, bad
	}
	return top, err
}

// VerifyTop returns the faults in the form of the top files.
func VerifyTop(top *value.Map) []string {
	var errs []string
	top.Range(func(env, targets any) bool {
		name, text := env.(string)
		switch {
		case !text:
			errs = append(errs, fmt.Sprintf("Environment %s in top file is not formed as a string", str(env)))
		case name == "":
			errs = append(errs, "Empty saltenv statement in top file")
		}
		m := mapOf(targets)
		m.Range(func(tgt, data any) bool {
			list, ok := data.([]any)
			if !ok {
				errs = append(errs, fmt.Sprintf("Malformed topfile: state declarations for matcher '%s' in saltenv '%s' are not formed as a list (got %s)",
					str(tgt), str(env), typeName(data)))
				return true
			}
			for _, item := range list {
				errs = append(errs, verifyTopItem(env, item)...)
			}
			return true
		})
		return true
	})
	return errs
}

func verifyTopItem(env, item any) []string {
	var errs []string
	switch item := item.(type) {
	case *value.Map:
		item.Range(func(_, v any) bool {
			if !pyfmt.Truth(v) {
				errs = append(errs, fmt.Sprintf("Improperly formatted top file matcher in saltenv %s: %s file", str(item), str(v)))
			}
			return true
		})
	case string:
		if item == "" {
			errs = append(errs, fmt.Sprintf("Environment %s contains an empty sls index", str(env)))
		}
	}
	return errs
}

// Matches returns the SLS names of this minion by environment.
func (r *Run) Matches(ctx context.Context, top *value.Map) (*value.Map, error) {
	matches := value.NewMap()
	var err error
	top.Range(func(env, targets any) bool {
		name := str(env)
		if r.o.Saltenv != "" && name != r.o.Saltenv {
			return true
		}
		mapOf(targets).Range(func(tgt, data any) bool {
			err = r.match(ctx, matches, name, tgt, data, 0)
			return err == nil
		})
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	tops, err := r.o.Source.Tops(ctx)
	if err != nil {
		return nil, err
	}
	tops.Range(func(env, names any) bool {
		first, second := matches.List(str(env)), listOf(names)
		if r.o.MasterTopsFirst {
			first, second = second, first
		}
		out := append([]any{}, first...)
		for _, n := range second {
			if !has(out, n) {
				out = append(out, n)
			}
		}
		matches.Set(str(env), out)
		return true
	})
	return matches, nil
}

func listOf(v any) []any {
	l, _ := v.([]any)
	return l
}

func has(list []any, v any) bool {
	for _, e := range list {
		if same(e, v) {
			return true
		}
	}
	return false
}

// maxSubfilters is the deepest nesting of subfilters.
const maxSubfilters = 50

// match adds the SLS names of one target, if it matches this minion.
func (r *Run) match(ctx context.Context, matches *value.Map, env string, tgt, data any, depth int) error {
	if depth > maxSubfilters {
		return &TopError{fmt.Sprintf("more than %d subfilters inside each other in the top file of '%s'", maxSubfilters, env)}
	}
	list, ok := data.([]any)
	if !ok {
		if s, text := data.(string); text {
			list = []any{s}
		}
	}
	kind := "compound"
	for _, item := range list {
		if m := mapOf(item); m.Has("match") {
			v, _ := m.Get("match")
			kind = str(v)
		}
	}
	text := tgt
	if _, ok := tgt.(string); !ok {
		text = str(tgt)
	}
	e, err := target.Parse(text, kind, target.Options{Nodegroups: r.o.Nodegroups})
	if err != nil && kind != "range" && !slices.Contains(target.Kinds(), kind) {
		return &TopError{fmt.Sprintf("the target '%s' of the top file (saltenv '%s') cannot be matched: %v", str(tgt), env, err)}
	}
	if err != nil {
		// As in Salt, an invalid target matches no minion, and the other entries stay
		// valid.
		r.o.Log.Error("top file entry ignored: invalid target", "tgt", str(tgt), "saltenv", env, "err", err)
		return nil
	}
	if !e.Match(r.o.Subject) {
		return nil
	}
	if !matches.Has(env) {
		matches.Set(env, []any{})
	}
	for _, item := range list {
		switch item := item.(type) {
		case string:
			appendTo(matches, env, item)
		case *value.Map:
			if err := r.matchItem(ctx, matches, env, item, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// matchItem handles a map in the list of a target: a subfilter, or an SLS of another
// environment.
func (r *Run) matchItem(ctx context.Context, matches *value.Map, env string, item *value.Map, depth int) error {
	rest := item.Clone()
	if sub, ok := item.Get("subfilter"); ok {
		rest.Delete("subfilter")
		var err error
		mapOf(sub).Range(func(tgt, data any) bool {
			err = r.match(ctx, matches, env, tgt, data, depth+1)
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	keys := rest.Keys()
	if len(keys) == 0 {
		return nil
	}
	other := str(keys[len(keys)-1])
	if ok, err := r.hasEnv(ctx, other); err != nil || !ok {
		return err // one of them is "match", which is not an environment
	}
	v, _ := rest.GetKey(keys[len(keys)-1])
	if !matches.Has(other) {
		matches.Set(other, []any{})
	}
	appendTo(matches, other, v)
	return nil
}
