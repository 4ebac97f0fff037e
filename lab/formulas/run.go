package formulas

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Outcome is the result of a call on one side: a value, or the error.
type Outcome struct {
	Value any
	Error string
	Lost  bool // the side does not answer any more
}

// Result is one call with both sides.
type Result struct {
	Of         string // the formula or the site
	What       string // the SLS, or the minion and the function
	Salt, Ours Outcome
}

// plain removes fields that differ between two runs of one minion.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range []string{"start_time", "duration", "pid"} {
			delete(v, name)
		}
		for k, e := range v {
			v[k] = plain(e)
		}
	case []any:
		for i, e := range v {
			v[i] = plain(e)
		}
	}
	return v
}

// Equal reports whether both sides gave the same, or both refused.
func (r Result) Equal() bool {
	if r.Salt.Error != "" || r.Ours.Error != "" {
		return r.Salt.Error != "" && r.Ours.Error != ""
	}
	return reflect.DeepEqual(r.Salt.Value, r.Ours.Value)
}

// Reason says in one line how the sides differ; "" where they are equal.
func (r Result) Reason() string {
	switch {
	case r.Equal():
		return ""
	case r.Ours.Error != "":
		return "ours: " + firstLine(r.Ours.Error)
	case r.Salt.Error != "":
		return "Salt: " + firstLine(r.Salt.Error)
	}
	path, a, b := difference("", r.Salt.Value, r.Ours.Value)
	return fmt.Sprintf("%s: Salt %s, ours %s", strings.TrimPrefix(path, " / "), short(a), short(b))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return short(line)
}

func short(v any) string {
	s := fmt.Sprint(v)
	if r := []rune(s); len(r) > 120 {
		s = string(r[:120]) + "…"
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "|", "\\|")
}

// difference is the first place in which two values differ, with what each has there.
func difference(path string, a, b any) (string, any, any) {
	x, okA := a.(map[string]any)
	y, okB := b.(map[string]any)
	if okA && okB {
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if !reflect.DeepEqual(x[k], y[k]) {
				return difference(path+" / "+k, x[k], y[k])
			}
		}
		for _, k := range slices.Sorted(maps.Keys(y)) {
			if _, ok := x[k]; !ok {
				return path + " / " + k, nil, y[k]
			}
		}
	}
	l, okA := a.([]any)
	m, okB := b.([]any)
	if okA && okB && len(l) == len(m) {
		for i := range l {
			if !reflect.DeepEqual(l[i], m[i]) {
				return difference(fmt.Sprintf("%s / %d", path, i), l[i], m[i])
			}
		}
	}
	return path, a, b
}
