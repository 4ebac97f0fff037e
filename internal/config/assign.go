package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/bounds"
)

// assign converts a value of a file and stores it in a field. note describes a value that was
// not read as written.
func (o option) assign(f reflect.Value, val any, text string) (note string, err error) {
	if s, ok := val.(string); ok && strings.HasPrefix(s, "sdb://") {
		return "", errors.New("sdb:// values are not supported; write the value itself")
	}
	if f.Kind() == reflect.Interface { // its reader knows its forms
		f.Set(reflect.ValueOf(val))
		return "", nil
	}
	switch f.Interface().(type) {
	case time.Duration:
		d, err := o.duration(val)
		if err == nil {
			f.SetInt(int64(d))
		}
		return "", err
	case int, int64:
		n, err := wholeNumber(val)
		if err == nil {
			f.SetInt(n)
		}
		return "", err
	case bool:
		b, note, err := o.boolean(val)
		if err == nil {
			f.SetBool(b)
		}
		return note, err
	case *bool:
		b, note, err := o.boolean(val)
		if err == nil {
			f.Set(reflect.ValueOf(&b))
		}
		return note, err
	case string:
		s, note, err := o.text(val, text)
		if err == nil {
			f.SetString(s)
		}
		return note, err
	case []string:
		l, note, err := o.texts(val, text)
		if err == nil {
			f.Set(reflect.ValueOf(l))
		}
		return note, err
	case map[string]any:
		m, err := mapping(val)
		if err != nil && (o.name == "peer" || o.name == "peer_run") { // Salt ignores it too
			return fmt.Sprintf("%v; it allows nothing", err), nil
		}
		if err == nil {
			f.Set(reflect.ValueOf(m))
		}
		return "", err
	case Override:
		return "", f.Addr().Interface().(*Override).set(val)
	case Aggregate:
		return "", f.Addr().Interface().(*Aggregate).set(val)
	case Reactors:
		f.Set(reflect.ValueOf(ReadReactors(val)))
		return "", nil
	case bounds.Bounds:
		return "", setBounds(f.Addr().Interface().(*bounds.Bounds), val)
	}
	return "", fmt.Errorf("has a field of type %s", f.Type())
}

// setBounds reads bounds: {name: value, ...}; others keep their values.
func setBounds(b *bounds.Bounds, val any) error {
	m, err := mapping(val)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if err := b.Set(name, pyText(m[name])); err != nil {
			return err
		}
	}
	return nil
}

func (o option) boolean(val any) (b bool, note string, err error) {
	switch v := val.(type) {
	case bool:
		return v, "", nil
	case int64:
		if o.name == "open_mode" || o.name == "auto_accept" {
			return false, fmt.Sprintf("only true (or yes, on) turns %s on; %d leaves it off", o.name, v), nil
		}
		if v == 0 || v == 1 {
			return v == 1, "", nil
		}
		return true, fmt.Sprintf("option %s: the number %d is taken for true", o.name, v), nil
	}
	return false, "", fmt.Errorf("wants true or false, has %s", describe(val))
}

func number(val any) (float64, bool) {
	switch v := val.(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	}
	return 0, false
}

func (o option) duration(val any) (time.Duration, error) {
	f, ok := number(val)
	if !ok {
		return 0, fmt.Errorf("wants a number of %s, has %s", unitName(o.unit), describe(val))
	}
	ns := f * float64(o.unit)
	if math.Abs(ns) >= math.MaxInt64 {
		return 0, fmt.Errorf("is too large: %s", pyText(val))
	}
	return time.Duration(math.Round(ns)), nil
}

func unitName(u time.Duration) string {
	switch u {
	case time.Millisecond:
		return "milliseconds"
	case time.Minute:
		return "minutes"
	case time.Hour:
		return "hours"
	}
	return "seconds"
}

func wholeNumber(val any) (int64, error) {
	switch v := val.(type) {
	case int64:
		return v, nil
	case uint64:
		return 0, fmt.Errorf("is too large: %d", v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v), nil
		}
	case string:
		n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
		switch {
		case err == nil:
			return n, nil
		case errors.Is(err, strconv.ErrRange):
			return 0, fmt.Errorf("is too large: %s", v)
		}
	}
	return 0, fmt.Errorf("wants a whole number, has %s", describe(val))
}

func (o option) text(val any, written string) (s, note string, err error) {
	switch v := val.(type) {
	case string:
		return v, "", nil
	case []any, map[string]any:
		return "", "", fmt.Errorf("wants a text, has %s", describe(v))
	case bool:
		if o.name == "color" {
			return strconv.FormatBool(v), "", nil
		}
		if slices.Contains([]string{"minion_id_remove_domain", "state_tabular", "startup_states"}, o.name) {
			if v {
				return "true", "", nil
			}
			return "", "", nil
		}
	}
	s = pyText(val)
	if s != written {
		note = fmt.Sprintf("%s is read as %q; write %q with quotes if that is meant", written, s, written)
	}
	return s, note, nil
}

func (o option) texts(val any, written string) (list []string, note string, err error) {
	items, ok := val.([]any)
	if !ok {
		s, note, err := o.text(val, written)
		if err != nil {
			return nil, "", fmt.Errorf("wants a text or a list of texts, has %s", describe(val))
		}
		if s == "" {
			return nil, note, nil
		}
		return []string{s}, note, nil
	}
	for i, e := range items {
		s, _, err := o.text(e, pyText(e))
		if err != nil {
			return nil, "", fmt.Errorf("entry %d wants a text, has %s", i+1, describe(e))
		}
		list = append(list, s)
	}
	return list, "", nil
}

// mapping converts a map, or a list of maps as Salt allows it for nodegroups.
func mapping(val any) (map[string]any, error) {
	switch v := val.(type) {
	case map[string]any:
		return v, nil
	case []any:
		out := map[string]any{}
		for i, e := range v {
			m, ok := e.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("entry %d wants a mapping, has %s", i+1, describe(e))
			}
			for k, x := range m {
				out[k] = x
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("wants a mapping, has %s", describe(val))
}
