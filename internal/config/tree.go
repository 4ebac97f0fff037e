package config

import (
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// maxFileBytes bounds one configuration file.
const maxFileBytes = 16 << 20

// setting is a top-level entry of a file.
type setting struct {
	name  string
	value any    // nil, bool, int64, uint64, float64, string, []any, map[string]any
	text  string // a scalar as written
	order any    // for orderedOptions, the value with its keys in order
	place Place
}

// parse reads the settings of a file in their order, and all its faults.
func parse(file string, data []byte) ([]setting, []error) {
	entries, wrong := pyfmt.YAMLEntries(data)
	var faults []error
	fault := func(line int, option, text string) {
		faults = append(faults, &Fault{Place: Place{file, line}, Option: option, Text: text})
	}
	for _, f := range wrong {
		fault(f.Line, f.Key, f.Text)
	}
	var out []setting
	lines := map[string]int{}
	for _, e := range entries {
		name := pyText(e.Key)
		if line, twice := lines[name]; twice { // 1 and '1' are two keys but one name
			fault(e.Line, name, fmt.Sprintf("is set twice; the first time in line %d", line))
			continue
		}
		lines[name] = e.Line
		s := setting{name: name, text: e.Text, place: Place{file, e.Line}}
		if orderedOptions[name] {
			s.order = copied(e.Value)
		}
		s.value = named(e.Value)
		out = append(out, s)
	}
	return out, faults
}

// named converts the keys of maps in v to strings, because options have no others.
func named(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = named(v[i])
		}
	case *wire.Map:
		m := make(map[string]any, v.Len())
		v.Range(func(key, val any) bool {
			m[pyText(key)] = named(val)
			return true
		})
		return m
	}
	return v
}
