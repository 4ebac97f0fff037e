package functions

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/value"
)

// Call is one call of a function.
type Call[E any] struct {
	Fun    string
	Args   []any
	Kwargs *value.Map
	// Timeout replaces the master's option timeout, for a function that waits for
	// minions; 0 does not.
	Timeout time.Duration
	// JID is the id of the call on the event bus; "" for one that is not there.
	JID string
	// Tell hears what the call tells while it works: [ToldProgress] or [ToldPrint]. nil:
	// nobody does.
	Tell func(what string, data *value.Map)
	Env  E

	names []string // of the function's arguments
}

// Arg gives the argument name, by position or by keyword.
func (c *Call[E]) Arg(name string) (any, bool) {
	if v, ok := c.Kwargs.Get(name); ok {
		return v, true
	}
	for i, a := range c.names {
		if strings.TrimSuffix(a, "=") == name && i < len(c.Args) {
			return c.Args[i], true
		}
	}
	return nil, false
}

// Text gives the argument name as text, "" if it is absent. A jid that a client
// sent as a number comes back as its digits.
func (c *Call[E]) Text(name string) string {
	v, ok := c.Given(name)
	if !ok {
		return ""
	}
	return fmt.Sprint(v)
}

// Given is [Call.Arg] for an argument whose None means that it is absent.
func (c *Call[E]) Given(name string) (any, bool) {
	v, ok := c.Arg(name)
	return v, ok && v != nil
}

// Flag gives a yes or no argument, def if it is absent.
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

// Seconds gives a time span, def if the argument is absent or 0.
func (c *Call[E]) Seconds(name string, def time.Duration) (time.Duration, error) {
	v, ok := c.Given(name)
	if !ok {
		return def, nil
	}
	f, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	if err != nil || !(f >= 0) || f > 1e9 {
		return 0, Invalid("%s=%v is not a number of seconds", name, v)
	}
	if f == 0 {
		return def, nil
	}
	return time.Duration(f * float64(time.Second)), nil
}

// Count gives a whole number that is not negative.
func (c *Call[E]) Count(name string) (int, error) {
	n, err := strconv.Atoi(c.Text(name))
	if err != nil || n < 0 {
		return 0, Invalid("%s=%s is not a number of 0 or more", name, c.Text(name))
	}
	return n, nil
}

// Patterns gives an argument that is a list, or text with commas; nil if it is absent.
func (c *Call[E]) Patterns(name string) ([]string, error) {
	v, ok := c.Given(name)
	if !ok {
		return nil, nil
	}
	var out []string
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			out = append(out, fmt.Sprint(e))
		}
	case string:
		for p := range strings.SplitSeq(v, ",") {
			if p = strings.TrimSpace(p); p != "" {
				out = append(out, p)
			}
		}
	default:
		out = []string{fmt.Sprint(v)}
	}
	if len(out) == 0 {
		return nil, Invalid("%s is empty", name)
	}
	return out, nil
}
