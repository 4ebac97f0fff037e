package functions

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/value"
)

// Call is one call of a function with bound arguments.
type Call[E any] struct {
	Bound
	// JID is the id of the call on the event bus; "" for a call without events.
	JID string
	// Report receives progress of the call, of kind [KindProgress] or [KindPrint]. It may be nil.
	Report func(kind string, data *value.Map)
	Env    E
}

// Text returns an argument as text, "" if absent. A jid sent as a number becomes its digits.
func (c *Call[E]) Text(name string) string {
	v, ok := c.Given(name)
	if !ok {
		return ""
	}
	return Text(v)
}

// Given is [Bound.Arg], except that None counts as absent.
func (c *Call[E]) Given(name string) (any, bool) {
	v, ok := c.Arg(name)
	return v, ok && v != nil
}

// Flag returns a boolean argument, or def if absent.
func (c *Call[E]) Flag(name string, def bool) (bool, error) {
	v, ok := c.Given(name)
	if !ok {
		return def, nil
	}
	switch v := v.(type) {
	case bool:
		return v, nil
	case int64:
		return v != 0, nil
	case string:
		switch strings.ToLower(v) {
		case "true", "yes", "on":
			return true, nil
		case "false", "no", "off", "":
			return false, nil
		}
	}
	return false, Invalid("%s=%v is neither True nor False", name, v)
}

// Seconds returns a duration, or def if the argument is absent or 0.
func (c *Call[E]) Seconds(name string, def time.Duration) (time.Duration, error) {
	v, ok := c.Given(name)
	if !ok {
		return def, nil
	}
	f, err := strconv.ParseFloat(Text(v), 64)
	if err != nil || !(f >= 0) || f > 1e9 {
		return 0, Invalid("%s=%v is not a number of seconds", name, v)
	}
	if f == 0 {
		return def, nil
	}
	return time.Duration(f * float64(time.Second)), nil
}

// Count returns a non-negative integer argument.
func (c *Call[E]) Count(name string) (int, error) {
	n, err := strconv.Atoi(c.Text(name))
	if err != nil || n < 0 {
		return 0, Invalid("%s=%s is not a number of 0 or more", name, c.Text(name))
	}
	return n, nil
}

// Patterns returns an argument that is a list of names or comma-separated text; nil if absent. The
// function lists it in [Function.Lists], so that rules judge each name.
func (c *Call[E]) Patterns(name string) ([]string, error) {
	for _, p := range c.get().params {
		switch {
		case p.name != name:
		case !p.list:
			return nil, fmt.Errorf("%s reads %s as a list and does not declare it as one", c.Fun(), name)
		case p.given && p.value != nil:
			if out := namesIn(p.value); len(out) > 0 {
				return out, nil
			}
			return nil, Invalid("%s is empty", name)
		}
	}
	return nil, nil
}
