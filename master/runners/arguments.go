package runners

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// invalid is a call whose arguments cannot be used, as Salt words it.
func invalid(format string, args ...any) error {
	return fmt.Errorf("Passed invalid arguments: "+format, args...) //nolint:staticcheck // Salt's text
}

// given is [Call.Arg] for an argument whose None means that it is absent.
func (c *Call) given(name string) (any, bool) {
	v, ok := c.Arg(name)
	return v, ok && v != nil
}

// flag gives a yes or no argument, def if it is absent.
func (c *Call) flag(name string, def bool) (bool, error) {
	v, ok := c.given(name)
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
	return false, invalid("%s=%v is neither True nor False", name, v)
}

// seconds gives a time span, def if the argument is absent or 0.
func (c *Call) seconds(name string, def time.Duration) (time.Duration, error) {
	v, ok := c.given(name)
	if !ok {
		return def, nil
	}
	f, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	if err != nil || !(f >= 0) || f > 1e9 {
		return 0, invalid("%s=%v is not a number of seconds", name, v)
	}
	if f == 0 {
		return def, nil
	}
	return time.Duration(f * float64(time.Second)), nil
}

// count gives a whole number that is not negative.
func (c *Call) count(name string) (int, error) {
	n, err := strconv.Atoi(c.Text(name))
	if err != nil || n < 0 {
		return 0, invalid("%s=%s is not a number of 0 or more", name, c.Text(name))
	}
	return n, nil
}

// patterns gives an argument that is a list, or text with commas.
func (c *Call) patterns(name string) ([]string, error) {
	v, ok := c.given(name)
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
		return nil, invalid("%s is empty", name)
	}
	return out, nil
}
