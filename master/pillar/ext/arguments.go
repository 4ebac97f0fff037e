package ext

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// arguments are the arguments of an entry by name.
type arguments map[string]any

// bind reads the arguments of an entry as Salt passes them: a mapping by name, a list by position,
// anything else as the first argument. A name that ends in "=" is optional.
func bind(conf any, names ...string) (arguments, error) {
	out := arguments{}
	plain := make([]string, len(names))
	for i, n := range names {
		plain[i] = strings.TrimSuffix(n, "=")
	}
	switch conf := conf.(type) {
	case *value.Map:
		for _, k := range conf.Keys() {
			name, _ := k.(string)
			if !slices.Contains(plain, name) {
				return nil, fmt.Errorf("got an unexpected keyword argument '%v'; there are %s", k, strings.Join(plain, ", "))
			}
			out[name], _ = conf.Get(name)
		}
	case []any:
		if len(conf) > len(plain) {
			return nil, fmt.Errorf("takes %d arguments but %d were given", len(plain), len(conf))
		}
		for i, v := range conf {
			out[plain[i]] = v
		}
	default:
		out[plain[0]] = conf
	}
	for i, n := range names {
		if !strings.HasSuffix(n, "=") && out[plain[i]] == nil {
			return nil, fmt.Errorf("missing required argument: '%s'", n)
		}
	}
	return out, nil
}

// text returns a string argument; "" if absent.
func (a arguments) text(name string) (string, error) {
	switch v := a[name].(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case []any, *value.Map:
		return "", fmt.Errorf("%s should be a string, not %s", name, pyfmt.Repr(v))
	default:
		return pyfmt.Str(v), nil
	}
}

// flag returns a boolean argument; false if absent.
func (a arguments) flag(name string) (bool, error) {
	switch v := a[name].(type) {
	case nil:
		return false, nil
	case bool:
		return v, nil
	}
	return false, fmt.Errorf("%s should be True or False, not %s", name, pyfmt.Repr(a[name]))
}

// errShellID is returned for an id that is unsafe in a command or a path.
var errShellID = errors.New("the id of the minion has characters other than letters, digits and ._-@:+, so it may not be part of a command, address or path")

// plainID returns an id that is safe in a command, a URL or a path. Operators accept ids, but may
// overlook shell syntax in them.
func plainID(id string) (string, error) {
	for _, r := range id {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._-@:+", r):
		//mutant:pillar-ids-are-no-commands
		default:
			return "", errShellID
		}
	}
	if id == "" || strings.HasPrefix(id, "-") || id == "." || id == ".." {
		return "", errShellID
	}
	return id, nil
}

// asMap converts the result of a source. nil is an empty pillar; anything but a mapping is an
// error.
func asMap(v any, from string) (*value.Map, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case *value.Map:
		return v, nil
	case string:
		if strings.TrimSpace(v) == "" {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("%s gives %s, not a mapping", from, kind(v))
}

func kind(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case []any:
		return "a list"
	case bool:
		return "a truth value"
	}
	return "a number"
}
