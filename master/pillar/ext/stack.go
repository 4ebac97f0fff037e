package ext

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// maxStackFiles limits the files of one stack.
const maxStackFiles = 10_000

func init() {
	Register(Source{
		Name: "stack", Check: checkStack, Load: loadStack,
		Doc: `
PillarStack: files of YAML, each a Jinja template that sees what those before it gave (stack),
merged in the order in which a list of them says. The list is a template as well: patterns
of files, relative to its folder, one a line or as a list in YAML. Templates see minion_id,
pillar, pillarenv, stack, __grains__, __opts__ and __salt__.

A key __ in a mapping, or {__: HOW} in front of a list, says how it is merged: merge-last,
merge-first, overwrite or remove.

    ext_pillar:
      - stack: /srv/stack/stack.cfg
      - stack:
          grains:env:
            production: /srv/stack/production.cfg
`,
	})
}

// stackWhere are the keys that the lists of a mapping may depend on.
var stackWhere = []string{"pillar", "grains", "opts"}

func checkStack(conf any) error {
	switch conf := conf.(type) {
	case string:
		return nil
	case []any:
		for _, v := range conf {
			if _, ok := v.(string); !ok {
				return fmt.Errorf("an entry is %s, not the path of a file", pyfmt.Repr(v))
			}
		}
		return nil
	case *value.Map:
		for _, k := range conf.Keys() {
			where, key, ok := strings.Cut(fmt.Sprint(k), ":")
			if !ok || key == "" || !slices.Contains(stackWhere, where) {
				return fmt.Errorf("Unknown traverse option \"%v\", should be one of %s, with a key behind it: grains:os", k, strings.Join(stackWhere, ", "))
			}
			v, _ := conf.GetKey(k)
			if _, ok := v.(*value.Map); !ok {
				return fmt.Errorf("%v should be a mapping of values to files", k)
			}
		}
		return nil
	}
	return errors.New("want the path of a file, a list of them, or a mapping")
}

func loadStack(ctx context.Context, c *Call) (*value.Map, error) {
	if err := checkStack(c.Conf); err != nil {
		return nil, err
	}
	s := &stacking{c: c, left: maxStackFiles}
	out := value.NewMap()
	for _, cfg := range stackLists(c) {
		if st, err := os.Stat(cfg); err != nil || !st.Mode().IsRegular() {
			c.Log.Info("pillar stack cfg ignored: no such file", "path", cfg)
			continue
		}
		var err error
		if out, err = s.list(ctx, cfg, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// stackLists returns the lists of files for a minion.
func stackLists(c *Call) (out []string) {
	switch conf := c.Conf.(type) {
	case string:
		return []string{conf}
	case []any:
		for _, v := range conf {
			out = append(out, v.(string))
		}
	case *value.Map:
		env := c.Pillarenv
		for _, or := range []string{c.Saltenv, "base"} {
			if env == "" {
				env = or
			}
		}
		conf.Range(func(k, by any) bool {
			where, key, _ := strings.Cut(fmt.Sprint(k), ":")
			in := map[string]*value.Map{"pillar": c.Pillar, "grains": c.Grains, "opts": c.Host.Options()}[where]
			is := traverse(in, key)
			by.(*value.Map).Range(func(want, files any) bool {
				if want == "__env__" {
					want = env
				}
				if is == nil || !scalarEqual(want, is) {
					return true
				}
				list, many := files.([]any)
				if !many {
					list = []any{files}
				}
				for _, f := range list {
					out = append(out, strings.ReplaceAll(fmt.Sprint(f), "__env__", env))
				}
				return false
			})
			return true
		})
	}
	return out
}

func scalarEqual(a, b any) bool {
	switch b.(type) {
	case []any, *value.Map:
		return false
	}
	return pyfmt.Str(a) == pyfmt.Str(b)
}

// stacking merges the files of lists.
type stacking struct {
	c    *Call
	left int
}

func (s *stacking) vars(stack *value.Map, more ...any) *value.Map {
	v := value.NewMap("__opts__", s.c.Host.Options(), "__grains__", s.c.Grains, "minion_id", s.c.ID, "pillar", s.c.Pillar,
		"pillarenv", nil, "stack", stack)
	if s.c.Pillarenv != "" {
		v.Set("pillarenv", s.c.Pillarenv)
	}
	for i := 0; i+1 < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

// list merges the files of one list.
func (s *stacking) list(ctx context.Context, cfg string, stack *value.Map) (*value.Map, error) {
	dir := filepath.Dir(cfg)
	text, err := s.render(ctx, dir, filepath.Base(cfg), s.vars(stack))
	if err != nil {
		return nil, err
	}
	for _, item := range stackItems(text) {
		if strings.TrimSpace(item) == "" {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(dir, item))
		if err != nil {
			return nil, fmt.Errorf("%s: the pattern %q: %w", cfg, item, err)
		}
		slices.Sort(paths)
		if len(paths) == 0 {
			s.c.Log.Info("pillar stack template ignored: no such file", "path", filepath.Join(dir, item))
		}
		for _, path := range paths {
			if s.left--; s.left < 0 {
				return nil, fmt.Errorf("%s: more than %d files", cfg, maxStackFiles)
			}
			rel, err := filepath.Rel(dir, path)
			if err != nil || !filepath.IsLocal(rel) {
				return nil, fmt.Errorf("%s: %s is not below the folder of the list", cfg, path)
			}
			text, err := s.render(ctx, dir, rel, s.vars(stack, "ymlpath", path))
			if err != nil {
				return nil, err
			}
			v, err := pyfmt.ReadYAML([]byte(text))
			if err != nil {
				return nil, fmt.Errorf("Stack pillar yaml parsing error in %s:\n%w", path, err)
			}
			if m, ok := v.(*value.Map); ok {
				if stack, err = mergeStack(stack, m); err != nil {
					return nil, fmt.Errorf("%s: %w", path, err)
				}
			}
		}
	}
	return stack, nil
}

func (s *stacking) render(ctx context.Context, dir, rel string, vars *value.Map) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, rel))
	if err != nil {
		return "", fmt.Errorf("read a stack: %w", err)
	}
	text, err := s.c.Host.Text(ctx, dir, filepath.ToSlash(rel), data, vars)
	if err != nil {
		return "", fmt.Errorf("Stack pillar template render error in %s:\n\"%w\"", filepath.Join(dir, rel), err)
	}
	return text, nil
}

// stackItems parses a list, which is YAML or lines.
func stackItems(text string) (out []string) {
	if v, err := pyfmt.ReadYAML([]byte(text)); err == nil {
		if list, ok := v.([]any); ok {
			for _, e := range list {
				out = append(out, pyfmt.Str(e))
			}
			return out
		}
	}
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// Merge strategies.
const (
	stackLast      = "merge-last"
	stackFirst     = "merge-first"
	stackOverwrite = "overwrite"
	stackRemove    = "remove"
)

func stackHow(v any) (string, error) {
	switch v {
	case nil:
		return stackLast, nil
	case stackLast, stackFirst, stackOverwrite, stackRemove:
		return v.(string), nil
	}
	return "", fmt.Errorf("Unknown strategy %q, should be one of %s, %s, %s, %s", fmt.Sprint(v), stackOverwrite, stackFirst, stackLast, stackRemove)
}

// mergeStack merges m into the stack, and changes both.
func mergeStack(stack, m *value.Map) (*value.Map, error) {
	said, _ := m.Get("__")
	m.Delete("__")
	how, err := stackHow(said)
	if err != nil {
		return nil, err
	}
	if how == stackOverwrite {
		return cleaned(m).(*value.Map), nil
	}
	m.Range(func(k, v any) bool {
		if how == stackRemove {
			stack.Delete(k)
			return true
		}
		have, ok := stack.GetKey(k)
		if !ok {
			stack.Set(k, cleaned(v))
			return true
		}
		if how == stackFirst {
			have, v = cleaned(v), have
		}
		var merged any
		switch v := v.(type) {
		case *value.Map:
			if h, ok := have.(*value.Map); ok {
				merged, err = mergeStack(h, v)
			} else {
				merged = cleaned(v)
			}
		case []any:
			if h, ok := have.([]any); ok {
				merged, err = mergeList(h, v)
			} else {
				merged = cleaned(v)
			}
		default:
			merged = v
		}
		if err == nil {
			stack.Set(k, merged)
		}
		return err == nil
	})
	return stack, err
}

// mergeList merges a list into that of the stack.
func mergeList(stack, list []any) ([]any, error) {
	how := stackLast
	if len(list) > 0 {
		if m, ok := list[0].(*value.Map); ok && m.Has("__") {
			said, _ := m.Get("__")
			var err error
			if how, err = stackHow(said); err != nil {
				return nil, err
			}
			list = list[1:]
		}
	}
	switch how {
	case stackOverwrite:
		return list, nil
	case stackRemove:
		return slices.DeleteFunc(slices.Clone(stack), func(e any) bool {
			return slices.ContainsFunc(list, func(o any) bool { return pyfmt.Repr(o) == pyfmt.Repr(e) })
		}), nil
	case stackFirst:
		return slices.Concat(list, stack), nil
	}
	return slices.Concat(stack, list), nil
}

// cleaned removes the merge strategies from a value.
func cleaned(v any) any {
	switch v := v.(type) {
	case *value.Map:
		v.Delete("__")
		for _, k := range v.Keys() {
			e, _ := v.GetKey(k)
			v.Set(k, cleaned(e))
		}
	case []any:
		if len(v) > 0 {
			if m, ok := v[0].(*value.Map); ok && m.Has("__") {
				return v[1:]
			}
		}
	}
	return v
}
