package modules

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/momtree/mom/value"
)

// grainsFile serializes changes of the static grains file.
var grainsFile sync.Mutex

func grainsAppend(ctx context.Context, c *Call) (any, error) {
	list, problem := grainList(c, c.IsTrue("convert"))
	if problem != "" {
		return problem, nil
	}
	val := c.Value("val")
	for _, e := range list {
		if equal(e, val) {
			return fmt.Sprintf("The val %s was already in the list %s", PyStr(val), c.Str("key")), nil
		}
	}
	if more, ok := val.([]any); ok {
		list = append(list, more...)
	} else {
		list = append(list, val)
	}
	return putGrain(ctx, c, list)
}

func grainsRemove(ctx context.Context, c *Call) (any, error) {
	list, problem := grainList(c, false)
	if problem != "" {
		return problem, nil
	}
	for i, e := range list {
		if equal(e, c.Value("val")) {
			return putGrain(ctx, c, append(list[:i], list[i+1:]...))
		}
	}
	return fmt.Sprintf("The val %s was not in the list %s", PyStr(c.Value("val")), c.Str("key")), nil
}

// grainList returns a copy of the call's grain as a list; a missing grain is an empty list.
func grainList(c *Call, convert bool) (list []any, problem string) {
	v, ok := traverse(c.Env.Grains(), c.Str("key"), c.Str("delimiter"))
	if !ok {
		return []any{}, ""
	}
	switch v := deepCopy(v).(type) {
	case []any:
		return v, ""
	case nil:
		if convert {
			return []any{}, ""
		}
	default:
		if convert {
			return []any{v}, ""
		}
	}
	return nil, fmt.Sprintf("The key %s is not a valid list", c.Str("key"))
}

// putGrain saves a nested grain: it writes the outermost grain that holds it.
func putGrain(ctx context.Context, c *Call, v any) (any, error) {
	keys := splitPath(c.Str("key"), c.Str("delimiter"))
	for len(keys) > 1 {
		last := keys[len(keys)-1]
		keys = keys[:len(keys)-1]
		outer := copiedMap(c, keys)
		outer.Set(last, v)
		v = outer
	}
	m := value.NewMap(keys[0], v)
	return m, saveGrains(ctx, c, m, false, true)
}

// copiedMap returns a copy of the map at a path, or an empty map.
func copiedMap(c *Call, keys []string) *value.Map {
	v, _ := traverse(c.Env.Grains(), strings.Join(keys, c.Str("delimiter")), c.Str("delimiter"))
	if m, ok := deepCopy(v).(*value.Map); ok {
		return m
	}
	return value.NewMap()
}

func grainsDelval(ctx context.Context, c *Call) (any, error) {
	return setGrain(ctx, c, nil, c.IsTrue("destructive"), c.IsTrue("force"), defaultDelimiter)
}

func grainsDelkey(ctx context.Context, c *Call) (any, error) {
	return setGrain(ctx, c, nil, true, c.IsTrue("force"), defaultDelimiter)
}

func grainsSet(ctx context.Context, c *Call) (any, error) {
	return setGrain(ctx, c, c.Value("val"), c.IsTrue("destructive"), c.IsTrue("force"), c.Str("delimiter"))
}

// setGrain implements grains.set. The result says what changed, or why nothing did.
func setGrain(ctx context.Context, c *Call, val any, destructive, force bool, delimiter string) (any, error) {
	refuse := func(format string, a ...any) (any, error) {
		return value.NewMap("comment", fmt.Sprintf(format, a...), "changes", value.NewMap(), "result", false), nil
	}
	path := c.Str("key")
	old, exists := traverse(c.Env.Grains(), path, delimiter)
	if exists && equal(old, val) && (val != nil || !destructive) {
		return value.NewMap("comment", "Grain is already set", "changes", value.NewMap(), "result", true), nil
	}
	if exists && old != nil && !force {
		if complexValue(old) {
			return refuse("The key '%s' exists but is a dict or a list. Use 'force=True' to overwrite.", path)
		}
		if complexValue(val) {
			return refuse("The key '%s' exists and the given value is a dict or a list. Use 'force=True' to overwrite.", path)
		}
	}
	keys := splitPath(path, delimiter)
	remove := val == nil && destructive
	for len(keys) > 1 {
		last := keys[len(keys)-1]
		keys = keys[:len(keys)-1]
		outer, ok := traverse(c.Env.Grains(), strings.Join(keys, delimiter), delimiter)
		if !ok {
			outer = value.NewMap()
		}
		next, fits := placed(deepCopy(outer), last, val, remove, force)
		if !fits {
			return refuse("The key '%s' value is '%s', which is different from the provided key '%s'. Use 'force=True' to overwrite.",
				strings.Join(keys, delimiter), PyStr(outer), last)
		}
		val, remove = next, false
	}
	changes := value.NewMap(keys[0], val)
	if err := saveGrains(ctx, c, changes, destructive, true); err != nil {
		return nil, err
	}
	return value.NewMap("comment", "", "changes", changes, "result", true), nil
}

// placed sets a value below a key of outer: a map, a list of names and one-key maps, or a
// plain value that it replaces.
func placed(outer any, key string, val any, remove, force bool) (any, bool) {
	switch o := outer.(type) {
	case *value.Map:
		if remove {
			o.Delete(key)
		} else {
			o.Set(key, val)
		}
		return o, true
	case []any:
		found := false
		for i, e := range o {
			if m, ok := e.(*value.Map); ok {
				if _, has := m.Get(key); has {
					m.Set(key, val)
					found = true
				}
			} else if equal(e, key) {
				o[i] = value.NewMap(key, val)
				found = true
			}
		}
		if !found {
			o = append(o, value.NewMap(key, val))
		}
		return o, true
	}
	if equal(outer, key) || force {
		return value.NewMap(key, val), true
	}
	return nil, false
}

func complexValue(v any) bool {
	switch v.(type) {
	case *value.Map, []any:
		return true
	}
	return false
}
