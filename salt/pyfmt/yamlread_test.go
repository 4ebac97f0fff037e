package pyfmt

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// The values are those of Salt's loader (3006.16, PyYAML 6.0.3). Where it raised an error,
// the text is ours.
func TestRead_AsSaltsLoader(t *testing.T) {
	type pairs = []any // the keys and values of a map, in order
	for text, want := range map[string]any{
		"yes": true, "Off": false, "~": nil, "": nil, "--- \n...\n": nil, "y": "y", "n": "n",
		"010": int64(10), "00": int64(0), "-010": int64(-8), "+010": int64(8), "08": "08", "0o17": "0o17",
		"0x1F": int64(31), "0b101": int64(5), "1_000": int64(1000), "1__0": int64(10), "_1": "_1", "-7": int64(-7),
		"1:30": int64(90), "-1:30": int64(-90), "1:30:00": int64(5400), "1:30.5": 90.5, "190:20:30.15": 685230.15,
		"1.5": 1.5, "1e3": "1e3", "1.0e+3": 1000.0, "1.e+3": 1000.0, ".5": 0.5, "+.5": "+.5", "-.5": "-.5", "0.": 0.0, "._": "._",
		".inf": math.Inf(1), "-.Inf": math.Inf(-1), "nan": "nan",
		"18446744073709551615": uint64(math.MaxUint64), "99999999999999999999": "99999999999999999999",
		"2024-01-01": "2024-01-01", "2001-12-14t21:59:43.10-05:00": "2001-12-14t21:59:43.10-05:00", "!!timestamp 2024-01-01": "2024-01-01",
		"'yes'": "yes", "!!str 5": "5", "!!str ~": "~", "!!int '5'": int64(5), "!!float 1": 1.0, "!!float 010": 10.0, "!!bool yes": true,
		"a: !!python/unicode x": pairs{"a", "x"}, "a: !!null x": pairs{"a", nil}, "!!binary aGk=": "hi",
		"'<<'": "<<", "1: a\n010: b": pairs{int64(1), "a", int64(10), "b"}, "1:30: x": pairs{int64(90), "x"},
		"a: 2024-01-01\n2024-01-02: x":                        pairs{"a", "2024-01-01", "2024-01-02", "x"},
		"a:\n- b\n-  c: 010\n":                                pairs{"a", []any{"b", pairs{"c", int64(10)}}},
		"base: &b {a: 1, b: 2}\nm:\n  b: 3\n  <<: *b\n  z: 4": pairs{"base", pairs{"a", int64(1), "b", int64(2)}, "m", pairs{"a", int64(1), "b", int64(3), "z", int64(4)}},
		"{<<: [{x: 1}, {y: 2}], z: 1}":                        pairs{"y", int64(2), "x", int64(1), "z", int64(1)},
		"{'1': x, <<: {1: y}}":                                pairs{"1", "x"},
		"{<<: {<<: {x: 1}, y: 2}, z: 3}":                      pairs{"x", int64(1), "y", int64(2), "z", int64(3)},
		"{!!merge x: {y: 1}}":                                 pairs{"y", int64(1)},
	} {
		got, err := ReadYAML([]byte(text))
		if d := cmp.Diff(want, fuzzValue(got)); err != nil || d != "" {
			t.Errorf("ReadYAML(%q): %v (-want +got)\n%s", text, err, d)
		}
	}
	for text, want := range map[string]string{
		"a: 1\na: 2": "line 2: a: is set twice; the first time in line 1", "yes: 1\non: 2": "line 2: true: is set twice",
		"{<<: {x: 1}, <<: {x: 2}}":     "line 1: x: is set twice; the first time in line 1",
		"{<<: [{x: 1, y: 1}, {x: 2}]}": "line 1: x: is set twice; the first time in line 1",
		"{<<: 5}":                      "line 1: <<: merges a map or a list of maps, not the text \"5\"",
		"{<<: [5]}":                    "line 1: <<: merges a map or a list of maps, not the text \"5\"",
		"? [a]\n: b":                   "line 1: a list or map cannot be a key",
		"? {a: b}\n: c":                "line 1: a list or map cannot be a key",
		"a: 1\n---\nb: 2":              "a second document begins here",
		"a: *x":                        "unknown anchor", "=": "= needs quotes", "<<": "<< needs quotes",
		"!x 5": "the tag !x is not known here", "!!int x": `"x" is no !!int`, "!!bool x": `"x" is no !!bool`,
		"a: !!seq {a: b}": "the tag !!seq", "a: !!map [a]": "the tag !!map",
		"\ta: 1": "cannot start any token",
	} {
		if v, err := ReadYAML([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadYAML(%q) = %v, %v; want an error with %q", text, v, err, want)
		}
	}
}

// All faults are reported with their line, and the valid entries are read.
func TestEntries(t *testing.T) {
	entries, faults := YAMLEntries([]byte("a: 010\nb: !x 1\nc: [{? [k] : 1}, =, 2]\na: 2\nd: &d\n  <<: 5\n1: *d\n'1': yes\n"))
	want := []YAMLEntry{
		{Key: "a", Value: int64(10), Text: "010", Line: 1},
		{Key: "b", Text: "1", Line: 2},
		{Key: "c", Value: []any{value.NewMap(), nil, int64(2)}, Line: 3},
		{Key: "d", Value: value.NewMap(), Line: 5},
		{Key: int64(1), Value: value.NewMap(), Line: 7},
		{Key: "1", Value: true, Text: "yes", Line: 8},
	}
	plain := cmp.Transformer("map", func(m *value.Map) any { return fuzzValue(m) })
	if d := cmp.Diff(want, entries, plain); d != "" {
		t.Errorf("entries (-want +got):\n%s", d)
	}
	var got []string
	for _, f := range faults {
		got = append(got, f.Error())
	}
	if d := cmp.Diff([]string{
		"line 2: the tag !x is not known here; leave it out",
		"line 3: a list or map cannot be a key",
		"line 3: = needs quotes to be a text",
		"line 4: a: is set twice; the first time in line 1",
		"line 6: <<: merges a map or a list of maps, not the text \"5\"",
		"line 6: <<: merges a map or a list of maps, not the text \"5\"",
	}, got); d != "" {
		t.Errorf("faults (-want +got):\n%s", d)
	}
}

func TestRead_AliasBombIsRefused(t *testing.T) {
	text := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 'b'; i < 'i'; i++ {
		p := string(i - 1)
		text += string(i) + ": &" + string(i) + " [*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + "]\n"
	}
	if _, err := ReadYAML([]byte(text)); err == nil {
		t.Error("a document of millions of values was read")
	}
}

func TestWord(t *testing.T) {
	for text, want := range map[string]any{
		"5": int64(5), "True": true, "None": nil, "": "", " ": " ", "#x": "#x", "|": "|", "1_000": "1_000",
		"a: b": "a: b", "- a": "- a", "'5'": "5", "x # y": "x # y", "*": "*", "[": "[", "a\nb": "a\nb",
	} {
		if got := YAMLWord(text); got != want {
			t.Errorf("YAMLWord(%q) = %#v, want %#v", text, got, want)
		}
	}
	if d := cmp.Diff([]any{int64(1), "a"}, YAMLWord("[1, a]")); d != "" {
		t.Error(d)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"a: 1", "- [x, {y: ~}]", "a: &a [*a]", "<<: {a: b}", "1:30:00", "? [a]\n: b", "'\\x'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ReadYAML([]byte(text))
		entries, faults := YAMLEntries([]byte(text))
		if m, ok := v.(*value.Map); err != nil || v != nil && !ok {
			if len(faults) == 0 && len(entries) == 0 {
				t.Fatalf("%q is %v, %v as a document, and no fault as options", text, v, err)
			}
		} else if m.Len() != len(entries) || len(faults) != 0 {
			t.Fatalf("%q is %v as a document, and %v, %v as options", text, v, entries, faults)
		}
		if err != nil {
			return
		}
		if _, err := wire.Encode(v); err != nil {
			t.Fatalf("value of %q cannot be encoded: %v", text, err)
		}
		out := YAML(v, YAMLForm{Ordered: true})
		back, err := ReadYAML([]byte(out))
		if err != nil {
			t.Fatalf("%q was written as %q: %v", text, out, err)
		}
		if d := cmp.Diff(fuzzValue(v), fuzzValue(back), cmpopts.EquateNaNs()); d != "" {
			t.Fatalf("%q was written as %q (-want +got):\n%s", text, out, d)
		}
	})
}

// fuzzValue is plainValue for keys of any type.
func fuzzValue(v any) any {
	switch v := v.(type) {
	case *value.Map:
		var l []any
		v.Range(func(k, e any) bool {
			l = append(l, k, fuzzValue(e))
			return true
		})
		return l
	case []any:
		l := make([]any, len(v))
		for i := range v {
			l[i] = fuzzValue(v[i])
		}
		return l
	}
	return v
}
