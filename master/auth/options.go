package auth

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// values reads options with one prefix, such as "auth.ldap", and collects errors. An option may be
// separate (auth.ldap.uri) or in a mapping (auth.ldap: {uri: }); the former takes precedence.
type values struct {
	prefix string
	get    func(name string) any // nil: not set
	faults []error
}

// topValues reads options at the top level of the configuration.
func topValues(cf Config, prefix string, options []string) *values {
	v := &values{prefix: prefix + "."}
	within, ok := cf.Values[prefix].(map[string]any)
	if cf.Values[prefix] != nil && !ok {
		v.fault("", "must be a mapping of options")
	}
	for _, name := range slices.Sorted(maps.Keys(within)) {
		if !slices.Contains(options, v.prefix+name) {
			v.fault(name, "is not known")
		}
	}
	v.get = func(name string) any {
		if x := cf.Values[v.prefix+name]; x != nil {
			return x
		}
		return within[name]
	}
	return v
}

// ownValues reads options among the entries of external_auth.
func ownValues(cf Config) *values {
	return &values{prefix: "^", get: func(name string) any { return cf.Entries["^"+name] }}
}

func (v *values) fault(name, format string, args ...any) {
	v.faults = append(v.faults, fmt.Errorf("%s: %s", strings.TrimSuffix(v.prefix+name, "."), fmt.Sprintf(format, args...)))
}

// err returns the collected errors.
func (v *values) err() error { return errors.Join(v.faults...) }

func (v *values) has(name string) bool { return v.get(name) != nil }

// text reads a text; it converts a number, as YAML reads "389" as one.
func (v *values) text(name, def string) string {
	switch x := v.get(name).(type) {
	case nil:
		return def
	case string:
		if strings.HasPrefix(x, "sdb://") {
			v.fault(name, "sdb:// values are not supported; write the value itself")
		}
		return x
	case int64, uint64, float64:
		return fmt.Sprint(x)
	}
	v.fault(name, "wants a text")
	return def
}

func (v *values) number(name string, def, least, most int) int {
	text := v.text(name, strconv.Itoa(def))
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < least || n > most {
		v.fault(name, "wants a whole number from %d to %d", least, most)
		return def
	}
	return n
}

func (v *values) boolean(name string) bool {
	switch x := v.get(name).(type) {
	case nil:
		return false
	case bool:
		return x
	}
	v.fault(name, "wants true or false")
	return false
}

// texts reads a text or a list of texts.
func (v *values) texts(name string) []string {
	switch x := v.get(name).(type) {
	case nil:
		return nil
	case string:
		return []string{x}
	case []any:
		var out []string
		for i, e := range x {
			s, ok := e.(string)
			if !ok {
				v.fault(name, "entry %d should be a text", i+1)
			}
			out = append(out, s)
		}
		return out
	}
	v.fault(name, "wants a text or a list of texts")
	return nil
}
