package states

import (
	"context"
	"strconv"
	"strings"

	"github.com/momtree/mom/value"
)

// slotPrefix begins an argument that is the result of an execution function, called just
// before the state runs.
const slotPrefix = "__slot__:"

// fillSlots replaces slots by their results: in strings, in the values of maps and lists,
// and of maps in lists.
func (r *Run) fillSlots(ctx context.Context, call *Call) error {
	for _, args := range []*value.Map{call.Args, call.Kwargs} {
		for _, k := range args.Keys() {
			v, _ := args.GetKey(k)
			if !holdsSlot(v) {
				continue
			}
			filled, err := r.fill(ctx, copied(v), 2)
			if err != nil {
				return err
			}
			args.Set(k, filled)
		}
	}
	return nil
}

// holdsSlot reports whether a value has a slot in one of these places.
func holdsSlot(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.HasPrefix(v, slotPrefix)
	case []any:
		for _, e := range v {
			if holdsSlot(e) {
				return true
			}
		}
	case *value.Map:
		found := false
		v.Range(func(_, e any) bool {
			s, ok := e.(string)
			found = ok && strings.HasPrefix(s, slotPrefix)
			return !found
		})
		return found
	}
	return false
}

func (r *Run) fill(ctx context.Context, v any, depth int) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		if strings.HasPrefix(v, slotPrefix) {
			return r.slot(ctx, v)
		}
	case []any:
		if depth < 2 {
			return v, nil
		}
		for i, e := range v {
			if v[i], err = r.fill(ctx, e, depth-1); err != nil {
				return nil, err
			}
		}
	case *value.Map:
		for _, k := range v.Keys() {
			e, _ := v.GetKey(k)
			if s, ok := e.(string); ok && strings.HasPrefix(s, slotPrefix) {
				if e, err = r.slot(ctx, s); err != nil {
					return nil, err
				}
				v.Set(k, e)
			}
		}
	}
	return v, nil
}

// slot calls the function of one slot: __slot__:salt:mod.fun(arg, kw=arg).path ~ text.
// Other text is returned unchanged.
func (r *Run) slot(ctx context.Context, slot string) (any, error) {
	parts := strings.SplitN(slot, ":", 3)
	if len(parts) != 3 || parts[1] != "salt" {
		r.o.Log.Warn("malformed slot, left unchanged", "slot", slot)
		return slot, nil
	}
	fun, args, kwargs, ok := parseCall(parts[2])
	if !ok {
		r.o.Log.Warn("malformed slot, left unchanged: expected mod.fun('arg', kw='arg')", "slot", slot)
		return slot, nil
	}
	if r.o.Modules == nil {
		return nil, errNoModules
	}
	//mutant:shell-slot
	v, err := r.o.Modules.Call(ctx, fun, args, kwargs)
	if err != nil {
		return nil, err
	}
	before, added, adds := strings.Cut(parts[2], "~")
	if i := strings.LastIndexByte(before, ')'); i >= 0 {
		if _, path, ok := strings.Cut(before[i+1:], "."); ok && strings.TrimSpace(path) != "" {
			v = traverse(v, strings.TrimSpace(path), ".")
		}
	}
	if s, ok := v.(string); ok && adds {
		v = s + strings.TrimSpace(added)
	} else if adds {
		r.o.Log.Error("slot result is not a string, nothing appended", "slot", slot)
	}
	return v, nil
}

// parseCall parses mod.fun(arg, kw=arg). All arguments are strings; quotes are removed, and
// brackets keep commas together.
func parseCall(s string) (fun string, args []any, kwargs *value.Map, ok bool) {
	fun, rest, found := strings.Cut(s, "(")
	fun = strings.TrimSpace(fun)
	if !found || fun == "" {
		return "", nil, nil, false
	}
	kwargs = value.NewMap()
	var word strings.Builder
	key, some := "", false
	var open []byte
	end := func() {
		switch {
		case key != "":
			kwargs.Set(key, word.String())
		case some:
			args = append(args, word.String())
		}
		key, some = "", false
		word.Reset()
	}
	for i := 0; i < len(rest); i++ {
		switch ch := rest[i]; {
		case ch == '\'' || ch == '"':
			j := i + 1
			for ; j < len(rest) && rest[j] != ch; j++ {
				if rest[j] == '\\' && j+1 < len(rest) {
					j++
				}
				word.WriteByte(rest[j])
			}
			if j >= len(rest) {
				return "", nil, nil, false
			}
			i, some = j, true
		case strings.IndexByte("[{(", ch) >= 0:
			open = append(open, ch)
			word.WriteByte(ch)
			some = true
		case (ch == ',' || ch == ')') && len(open) == 0:
			end()
			if ch == ')' {
				return fun, args, kwargs, true
			}
		case strings.IndexByte("]})", ch) >= 0:
			if len(open) == 0 || !closes(open[len(open)-1], ch) {
				return "", nil, nil, false
			}
			open = open[:len(open)-1]
			word.WriteByte(ch)
		case ch == '=' && len(open) == 0 && key == "":
			key, some = word.String(), false
			word.Reset()
		case ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r':
		default:
			word.WriteByte(ch)
			some = true
		}
	}
	return "", nil, nil, false
}

func closes(open, ch byte) bool {
	return open == '[' && ch == ']' || open == '{' && ch == '}' || open == '(' && ch == ')'
}

// traverse follows a path of keys and indexes; it returns nil if a part is missing.
func traverse(v any, path, delimiter string) any {
	for _, key := range strings.Split(path, delimiter) {
		switch at := v.(type) {
		case *value.Map:
			next, ok := at.Get(key)
			if !ok {
				n, err := strconv.ParseInt(key, 10, 64)
				if err != nil {
					return nil
				}
				if next, ok = at.GetKey(n); !ok {
					return nil
				}
			}
			v = next
		case []any:
			n, err := strconv.Atoi(key)
			if err != nil {
				var found any
				for _, e := range at {
					if w, ok := mapOf(e).Get(key); ok {
						found = w
						break
					}
				}
				if found == nil {
					return nil
				}
				v = found
				continue
			}
			if n < 0 {
				n += len(at)
			}
			if n < 0 || n >= len(at) {
				return nil
			}
			v = at[n]
		default:
			return nil
		}
	}
	return v
}
