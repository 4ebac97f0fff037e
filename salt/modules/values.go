package modules

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Str returns the named argument as a string. Other values are converted as in Python; None
// is "".
func (c *Call) Str(name string) string {
	v := c.Value(name)
	if v == nil {
		return ""
	}
	return PyStr(v)
}

// IsTrue returns the named argument as a condition, by the rules of [isTrue].
func (c *Call) IsTrue(name string) bool { return isTrue(c.Value(name)) }

// Int returns the named argument as an integer.
func (c *Call) Int(name string) (int64, error) {
	f, err := c.Float(name)
	if err != nil {
		return 0, err
	}
	if v, ok := Integer(c.Value(name)); ok {
		return v, nil
	}
	if math.IsNaN(f) || math.Abs(f) >= 1<<63 {
		return 0, argErrorf("%s must be a whole number, not %s", name, PyRepr(c.Value(name)))
	}
	return int64(f), nil
}

// Float returns the named argument as a number. A numeric string is accepted.
func (c *Call) Float(name string) (float64, error) {
	v := c.Value(name)
	f, ok := number(v)
	if s, isText := v.(string); isText {
		var err error
		f, err = strconv.ParseFloat(strings.TrimSpace(s), 64)
		ok = err == nil
	}
	if !ok {
		return 0, argErrorf("%s must be a number, not %s", name, PyRepr(v))
	}
	return f, nil
}

// Integer returns v if it is an integer of any width.
func Integer(v any) (int64, bool) {
	switch v := v.(type) {
	case int:
		return int64(v), true
	case int64:
		return v, true
	case uint64:
		if v <= math.MaxInt64 {
			return int64(v), true
		}
	case string:
		n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
		return n, err == nil
	}
	return 0, false
}

// number returns v if it is a number (not a string or bool).
func number(v any) (float64, bool) {
	if _, is := v.(bool); is {
		return 0, false
	}
	return pyfmt.Number(v)
}

// isTrue reports what Salt's is_true does: true for numbers above zero, the string "true"
// in any case, and non-empty lists and maps.
func isTrue(v any) bool {
	if f, ok := number(v); ok {
		return f > 0
	}
	switch v := v.(type) {
	case bool:
		return v
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return f > 0
		}
		return strings.EqualFold(v, "true")
	case []any:
		return len(v) > 0
	case *value.Map:
		return v != nil && v.Len() > 0
	}
	return false
}

// seconds converts a number of seconds to a duration, and caps it at the longest possible
// one.
func seconds(f float64) time.Duration {
	if f >= float64(math.MaxInt64)/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(f * float64(time.Second))
}

// equal compares values as Python's == does: numbers by value, lists and maps by content,
// maps without regard to order.
func equal(a, b any) bool {
	if x, ok := pyfmt.Number(a); ok {
		y, ok := pyfmt.Number(b)
		return ok && x == y
	}
	switch a := a.(type) {
	case nil:
		return b == nil
	case string:
		s, ok := b.(string)
		return ok && s == a
	case []byte:
		s, ok := b.([]byte)
		return ok && string(s) == string(a)
	case []any:
		l, ok := b.([]any)
		if !ok || len(l) != len(a) {
			return false
		}
		for i := range a {
			if !equal(a[i], l[i]) {
				return false
			}
		}
		return true
	case *value.Map:
		m, ok := b.(*value.Map)
		if !ok || m.Len() != a.Len() {
			return false
		}
		same := true
		a.Range(func(k, v any) bool {
			other, found := mapGet(m, k)
			same = found && equal(v, other)
			return same
		})
		return same
	}
	return false
}

// AsMap returns a value of the configuration as an ordered map.
func AsMap(v any) (*value.Map, bool) {
	m, ok := wire.Normal(v).(*value.Map)
	return m, ok && m != nil
}

// textList returns a list of strings from a list or a comma-separated string.
func textList(v any) []string {
	var out []string
	switch v := wire.Normal(v).(type) {
	case nil:
	case []any:
		for _, e := range v {
			out = append(out, PyStr(e))
		}
	default:
		for _, e := range strings.Split(PyStr(v), ",") {
			out = append(out, strings.TrimSpace(e))
		}
	}
	return out
}
