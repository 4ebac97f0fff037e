package states

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/momtree/mom/value"
)

// TopError is an error of a top file; Salt treats that file as empty.
type TopError struct{ Msg string }

func (e *TopError) Error() string { return e.Msg }

var errNoTargets = &TopError{"Unable to render top file. No targets found."}

// tops are the top files of each environment, in order.
type tops struct {
	envs  []string
	files map[string][]*value.Map
}

func (t *tops) add(env string, m *value.Map) {
	if _, ok := t.files[env]; !ok {
		t.envs = append(t.envs, env)
	}
	t.files[env] = append(t.files[env], m)
}

// envOrder returns the environments in the order in which they are read.
func (r *Run) envOrder(ctx context.Context) ([]string, error) {
	there, err := r.o.Source.Envs(ctx)
	if err != nil {
		return nil, err
	}
	if len(r.o.EnvOrder) > 0 {
		var out []string
		for _, e := range r.o.EnvOrder {
			if !slices.Contains(out, e) && (len(there) == 0 || slices.Contains(there, e)) {
				out = append(out, e)
			}
		}
		return out, nil
	}
	out := []string{"base"}
	for _, e := range there {
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out, nil
}

// readTops reads the top files to merge, and those they include.
func (r *Run) readTops(ctx context.Context) (*tops, error) {
	if r.o.MergingStrategy == "same" && r.o.Saltenv == "" && r.o.DefaultTop == "" {
		return nil, &TopError{"top_file_merging_strategy set to 'same', but no default_top configuration option was set"}
	}
	var envs []string
	var err error
	switch {
	case r.o.Saltenv != "":
		envs = []string{r.o.Saltenv}
	case r.o.StateTopSaltenv != "":
		envs = []string{r.o.StateTopSaltenv}
	default:
		if envs, err = r.envOrder(ctx); err != nil {
			return nil, err
		}
	}
	all := &tops{files: map[string][]*value.Map{}}
	for _, env := range envs {
		m, err := r.readTop(ctx, env, r.o.StateTop)
		if err != nil {
			return nil, err
		}
		all.add(env, m)
	}
	return all, r.includeTops(ctx, all)
}

// readTop reads and renders one top file; a missing file is empty.
func (r *Run) readTop(ctx context.Context, env, path string) (*value.Map, error) {
	data, err := r.read(ctx, env, path)
	if errors.Is(err, fs.ErrNotExist) {
		return value.NewMap(), nil
	}
	if err != nil {
		return nil, err
	}
	v, err := r.o.Renderer.Render(ctx, Template{Data: data, Saltenv: env, Path: path})
	if err != nil {
		return nil, &TopError{err.Error()}
	}
	switch v := v.(type) {
	case *value.Map:
		return v, nil
	case nil:
		return value.NewMap(), nil
	}
	return nil, &TopError{fmt.Sprintf("the top file of environment '%s' is a %s, not a map", env, typeName(v))}
}

// includeTops reads the files that the top files include, and removes the key include from
// them.
func (r *Run) includeTops(ctx context.Context, all *tops) error {
	type wanted struct{ env, sls string }
	var queue []wanted
	done := map[wanted]bool{}
	collect := func(env string, m *value.Map) {
		if list := m.List("include"); list != nil {
			for _, s := range list {
				if s, ok := s.(string); ok {
					queue = append(queue, wanted{env, s})
				}
			}
			m.Delete("include")
		}
	}
	for _, env := range all.envs {
		for _, m := range all.files[env] {
			collect(env, m)
		}
	}
	for len(queue) > 0 {
		w := queue[0]
		queue = queue[1:]
		names, err := r.states(ctx, w.env)
		if err != nil {
			return err
		}
		for _, sls := range filter(names, w.sls) {
			if done[wanted{w.env, sls}] {
				continue
			}
			done[wanted{w.env, sls}] = true
			for _, path := range slsPaths(sls) {
				m, err := r.readTop(ctx, w.env, path)
				if err != nil {
					return err
				}
				if m.Len() > 0 {
					m.Delete("include") // includes of an included file are not followed
					all.add(w.env, m)
					break
				}
			}
		}
	}
	return nil
}

// merged merges the top files by the configured strategy: environment → target → list.
func (r *Run) merged(all *tops) (*value.Map, error) {
	switch r.o.MergingStrategy {
	case "same":
		return r.mergeSame(all)
	case "merge_all":
		return mergeAll(all)
	case "merge":
	default:
		r.o.Log.Warn("unknown top_file_merging_strategy, using merge", "strategy", r.o.MergingStrategy)
	}
	return mergeBase(all)
}

// lay merges the targets of one section into the result.
func lay(top *value.Map, env any, targets any) error {
	m, ok := targets.(*value.Map)
	if !ok {
		if _, text := targets.(string); text || targets == nil || isNumber(targets) {
			return errNoTargets
		}
		return &TopError{fmt.Sprintf("The top file matches for saltenv %s are not formatted as a dict", str(env))}
	}
	into := section(top, env)
	m.Range(func(tgt, data any) bool {
		into.Set(tgt, data)
		return true
	})
	return nil
}

func section(top *value.Map, env any) *value.Map {
	if v, ok := top.GetKey(env); ok {
		return v.(*value.Map)
	}
	m := value.NewMap()
	top.Set(env, m)
	return m
}

// eachSection calls fn for each environment with a section in a top file.
func eachSection(m *value.Map, fn func(env, targets any) error) error {
	var err error
	m.Range(func(env, targets any) bool {
		if env != "include" {
			err = fn(env, targets)
		}
		return err == nil
	})
	return err
}

// mergeBase: the base environment's top file applies to all environments. Those of other
// environments apply to themselves if base has no section for them.
func mergeBase(all *tops) (*value.Map, error) {
	top := value.NewMap()
	for _, m := range all.files["base"] {
		if err := eachSection(m, func(env, t any) error { return lay(top, env, t) }); err != nil {
			return nil, err
		}
	}
	for _, cenv := range all.envs {
		if cenv == "base" {
			continue
		}
		for _, m := range all.files[cenv] {
			err := eachSection(m, func(env, t any) error {
				if env != cenv {
					return nil
				}
				if _, ok := top.GetKey(env); ok {
					return nil
				}
				return lay(top, env, t)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return top, nil
}

// mergeSame: each environment's top file applies to itself only; that of default_top to
// environments without one.
func (r *Run) mergeSame(all *tops) (*value.Map, error) {
	top := value.NewMap()
	for _, cenv := range all.envs {
		files := all.files[cenv]
		if empty(files) {
			files = all.files[r.o.DefaultTop]
			if empty(files) {
				r.o.Log.Error("no top file in environment nor in default_top", "saltenv", cenv, "default_top", r.o.DefaultTop)
				continue
			}
		}
		for _, m := range files {
			err := eachSection(m, func(env, t any) error {
				if env != cenv {
					return nil
				}
				return lay(top, env, t)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return top, nil
}

func empty(files []*value.Map) bool {
	return !slices.ContainsFunc(files, func(m *value.Map) bool { return m.Len() > 0 })
}

// mergeAll: the lists of all top files for one target are joined.
func mergeAll(all *tops) (*value.Map, error) {
	top := value.NewMap()
	for _, cenv := range all.envs {
		for _, m := range all.files[cenv] {
			err := eachSection(m, func(env, t any) error {
				targets, ok := t.(*value.Map)
				if !ok {
					return errNoTargets
				}
				into := section(top, env)
				targets.Range(func(tgt, data any) bool {
					if old, there := into.GetKey(tgt); there {
						data = joined(old, data)
					}
					into.Set(tgt, data)
					return true
				})
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return top, nil
}

// joined joins two lists of one target: the later matcher, followed by the names of both.
func joined(a, b any) any {
	kindA, namesA := matcherAndNames(a)
	kindB, namesB := matcherAndNames(b)
	var out []any
	switch {
	case kindB != nil:
		out = append(out, kindB)
	case kindA != nil:
		out = append(out, kindA)
	}
	out = append(out, namesA...)
	for _, n := range namesB {
		if !slices.Contains(namesA, n) {
			out = append(out, n)
		}
	}
	return out
}

func matcherAndNames(v any) (kind *value.Map, names []any) {
	list, _ := v.([]any)
	for _, e := range list {
		switch e := e.(type) {
		case *value.Map:
			kind = e
		case string:
			names = append(names, e)
		}
	}
	return kind, names
}
