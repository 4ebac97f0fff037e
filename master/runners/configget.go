package runners

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/wire"
)

// Configured is an [Env] of a master that exposes its options.
type Configured interface {
	// Options returns all options, set and default, without secrets.
	Options() map[string]any
}

func init() {
	Register(
		Function{Name: "config.get", Args: []string{"key", "default=", "delimiter="}, Run: configGet, Doc: `
An option of this master. Passwords and other secrets are shown as asterisks.

key
    Its name, followed by keys of mappings and indexes of lists, separated by the
    delimiter.
default
    The result for an option that is not set. Default: an empty string.
delimiter : ':'
    The separator of keys.

    salt-run config.get worker_threads
    salt-run config.get publisher_acl:fred
`},
		Function{Name: "test.get_opts", Run: func(_ context.Context, c *Call) (any, error) {
			o, err := options(c)
			return wire.Normal(o), err
		}, Doc: `
All options of this master. Passwords and other secrets are shown as asterisks.

    salt-run test.get_opts
`},
	)
}

func options(c *Call) (map[string]any, error) {
	o, ok := c.Env.(Configured)
	if !ok {
		return nil, errors.New(c.Fun() + ": this master has no configuration to show")
	}
	return o.Options(), nil
}

func configGet(_ context.Context, c *Call) (any, error) {
	all, err := options(c)
	if err != nil {
		return nil, err
	}
	def, given := c.Arg("default")
	if !given {
		def = ""
	}
	delimiter := ":"
	if _, given := c.Given("delimiter"); given {
		if delimiter = c.Text("delimiter"); delimiter == "" {
			return nil, invalid("delimiter is empty")
		}
	}
	key := c.Text("key")
	if key == "" {
		return nil, invalid("key is empty; use test.get_opts for all options")
	}
	if v, ok := all[key]; ok { // an option's name may contain the delimiter
		return wire.Normal(v), nil
	}
	var v any = all
	for part := range strings.SplitSeq(key, delimiter) {
		var ok bool
		if v, ok = within(v, part); !ok {
			return def, nil
		}
	}
	return wire.Normal(v), nil
}

// within looks up key in v: a key of a mapping, an index of a list, or a key of the first mapping
// in a list that has it.
func within(v any, key string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		e, ok := v[key]
		return e, ok
	case []any:
		if i, err := strconv.Atoi(key); err == nil {
			if i < 0 || i >= len(v) {
				return nil, false
			}
			return v[i], true
		}
		for _, e := range v {
			if m, ok := e.(map[string]any); ok {
				if found, ok := m[key]; ok {
					return found, true
				}
			}
		}
	}
	return nil, false
}
