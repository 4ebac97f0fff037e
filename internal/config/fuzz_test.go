package config

import (
	"reflect"
	"testing"
)

// FuzzParse looks for files that crash the parser, return values of unexpected types, or grow
// without bound.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"a: 1\nb: [x, {y: z}]\n", "id: 010\n", "a: &x {b: c}\nd:\n  <<: *x\n", "a: !!str yes\nb: !!int '1'\n",
		"? [a]\n: b\n", "--- a\n--- b\n", "a: &a [*a]\n", "<<: {a: b}\na: c\n", "mysql: {host: x}\nmysql.host: y\n", "\xff\xfe", "a: |\n x\n", "- a\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, _ := parse("f", data)
		seen := map[string]bool{}
		for _, s := range list {
			if seen[s.name] {
				t.Errorf("%s is given twice", s.name)
			}
			seen[s.name] = true
			check(t, s.value)
			for _, o := range masterTable() {
				if o.name == s.name {
					m := DefaultMaster()
					_, _ = o.assign(reflect.ValueOf(m).Elem().FieldByIndex(o.index), s.value, s.text)
					_ = m.Validate()
				}
			}
		}
	})
}

func check(t *testing.T, v any) {
	switch v := v.(type) {
	case nil, bool, int64, uint64, float64, string:
	case []any:
		for _, e := range v {
			check(t, e)
		}
	case map[string]any:
		for _, e := range v {
			check(t, e)
		}
	default:
		t.Errorf("a value of type %T", v)
	}
}
