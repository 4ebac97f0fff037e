package lowdata

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

const (
	// maxTimeout bounds the times in a chunk.
	maxTimeout = 365 * 24 * time.Hour
	// maxLife bounds the life of a token.
	maxLife = 10 * 365 * 24 * time.Hour
)

// fields reads the fields of a chunk.
type fields struct {
	m     *value.Map
	form  bool // all values are texts
	typed bool // texts are arguments of any type
}

// Has reports whether a field exists and is not None.
func (f fields) Has(field string) bool {
	v, ok := f.m.Get(field)
	return ok && v != nil
}

// Text returns a field as text; "" if it is absent or has another type. Numbers become digits, because
// a password may look like one.
func (f fields) Text(field string) string {
	v, _ := f.m.Get(field)
	switch v := v.(type) {
	case string:
		return v
	case int64, uint64, float64:
		return fmt.Sprint(v)
	}
	return ""
}

// Flag returns a field that is true or false; false if it is absent. It reads texts like Salt's
// options.
func (f fields) Flag(field string) (bool, error) {
	v, _ := f.m.Get(field)
	if s, text := v.(string); text {
		v = pyfmt.YAMLWord(s)
	}
	switch v := v.(type) {
	case bool:
		return v, nil
	case int64:
		return v != 0, nil
	case nil:
		return false, nil
	}
	return false, invalid("%s is %v; it must be true or false", field, shown(v))
}

// Seconds returns a field that is a time in seconds, at most a year; 0 if it is absent.
func (f fields) Seconds(field string) (time.Duration, error) { return f.within(field, maxTimeout) }

// Life is Seconds for the life of a token, at most ten years. The master bounds it too.
func (f fields) Life(field string) (time.Duration, error) { return f.within(field, maxLife) }

func (f fields) within(field string, most time.Duration) (time.Duration, error) {
	v, _ := f.m.Get(field)
	if v == nil || v == "" {
		return 0, nil
	}
	n, ok := number(v)
	if !ok || n < 0 || n > most.Seconds() {
		return 0, invalid("%s is %v; it must be a number of seconds", field, shown(v))
	}
	return time.Duration(n * float64(time.Second)), nil
}

// Count returns a field that is a whole number, 1 or more; def if it is absent.
func (f fields) Count(field string, def int) (int, error) {
	v, _ := f.m.Get(field)
	if v == nil || v == "" {
		return def, nil
	}
	n, ok := number(v)
	if !ok || n < 1 || n > math.MaxInt32 || n != math.Trunc(n) {
		return 0, invalid("%s is %v; it must be a whole number, 1 or more", field, shown(v))
	}
	return int(n), nil
}

func isBool(v any) bool {
	_, ok := v.(bool)
	return ok || v == "True" || v == "False" || v == "true" || v == "false"
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, !math.IsNaN(v)
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return f, err == nil && !math.IsNaN(f)
	}
	return 0, false
}

// args returns the arguments. A value that is not a list is a list of one. If the dialect types
// arguments, those in a form are read like words of a command line; a job id stays a text.
func (f fields) args(typed bool) []any {
	v, ok := f.m.Get("arg")
	if !ok || v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	if !f.form || !typed {
		return list
	}
	out := make([]any, len(list))
	for i, a := range list {
		s, text := a.(string)
		if !text || jid.Valid(s) {
			out[i] = a
			continue
		}
		out[i] = pyfmt.YAMLWord(s)
	}
	return out
}

// kwargs returns the keyword arguments in the field kwarg, which is JSON or YAML in a form.
func (f fields) kwargs() (map[string]any, error) {
	v, _ := f.m.Get("kwarg")
	if s, ok := v.(string); ok && strings.TrimSpace(s) != "" {
		read, err := pyfmt.ReadYAML([]byte(s))
		if err != nil {
			return nil, invalid("kwarg is a text that is not a map: %v", err)
		}
		v = read
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		if v == "" {
			return nil, nil
		}
	case *value.Map:
		out := make(map[string]any, v.Len())
		var bad error
		v.Range(func(k, val any) bool {
			name, ok := k.(string)
			if !ok {
				bad = invalid("kwarg has the name %v; use texts", shown(k))
				return false
			}
			if name != "__kwarg__" {
				out[name] = val
			}
			return true
		})
		return out, bad
	}
	return nil, invalid("kwarg is %v; send a map of names and values", shown(v))
}
