package grains

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/momtree/mom/internal/wire"
)

// The values are those of PyYAML's safe_load.
func TestParseYAML_Scalars(t *testing.T) {
	for text, want := range map[string]any{
		"yes": true, "Off": false, "~": nil, "": nil, "null": nil, "010": int64(8), "0x1F": int64(31),
		"0b101": int64(5), "1_000": int64(1000), "-7": int64(-7), "1:30": int64(90), "-1:30": int64(-90),
		"1.5": 1.5, "1e3": "1e3", "1.0e+3": 1000.0, ".5": 0.5, ".inf": math.Inf(1), "-.inf": math.Inf(-1),
		"'yes'": "yes", `"1"`: "1", "!!str 5": "5", "09": "09", "1.2.3": "1.2.3", "2024-01-01": "2024-01-01",
		"18446744073709551615": uint64(math.MaxUint64), "99999999999999999999": "99999999999999999999",
		"y": "y", "nan": "nan", "hello world": "hello world",
	} {
		got, err := ParseYAML([]byte(text))
		if err != nil || got != want {
			t.Errorf("ParseYAML(%q) = %#v, %v; want %#v", text, got, err, want)
		}
	}
}

func TestParseYAML_Structure(t *testing.T) {
	got, err := ParseYAML([]byte("base: &b {a: 1, b: 2}\nlist: [1, x, {k: v}]\nmerged:\n  <<: *b\n  b: 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := m{
		"base": m{"a": int64(1), "b": int64(2)}, "list": []any{int64(1), "x", m{"k": "v"}},
		"merged": m{"b": int64(3), "a": int64(1)},
	}
	if d := cmp.Diff(want, plainValue(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestParseYAML_AliasBombIsRefused(t *testing.T) {
	text := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 'b'; i < 'i'; i++ {
		p := string(i - 1)
		text += string(i) + ": &" + string(i) + " [*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + "]\n"
	}
	if _, err := ParseYAML([]byte(text)); err == nil {
		t.Error("a document of millions of values was read")
	}
}

func TestScalar(t *testing.T) {
	for text, want := range map[string]any{
		"5": int64(5), "True": true, "None": nil, "": "", " ": " ", "#x": "#x", "|": "|", "1_000": "1_000",
		"a: b": "a: b", "- a": "- a", "'5'": "5", "x # y": "x # y", "*": "*", "[": "[", "a\nb": "a\nb",
	} {
		if got := Scalar(text); got != want {
			t.Errorf("Scalar(%q) = %#v, want %#v", text, got, want)
		}
	}
	if d := cmp.Diff([]any{int64(1), "a"}, Scalar("[1, a]")); d != "" {
		t.Error(d)
	}
}

func FuzzParseYAML(f *testing.F) {
	for _, s := range []string{"a: 1", "- [x, {y: ~}]", "a: &a [*a]", "<<: {a: b}", "1:30:00", "? [a]\n: b", "'\\x'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseYAML([]byte(text))
		if err != nil {
			return
		}
		if _, err := wire.Encode(v); err != nil {
			t.Fatalf("value of %q cannot be encoded: %v", text, err)
		}
		out, err := FormatYAML(v)
		if err != nil {
			t.Fatalf("format %q: %v", text, err)
		}
		back, err := ParseYAML(out)
		if err != nil {
			t.Fatalf("%q was written as %q: %v", text, out, err)
		}
		if d := cmp.Diff(fuzzValue(v), fuzzValue(back), cmpopts.EquateNaNs()); d != "" {
			t.Fatalf("%q was written as %q (-want +got):\n%s", text, out, d)
		}
	})
}

// fuzzValue is like plainValue for keys of any type.
func fuzzValue(v any) any {
	switch v := v.(type) {
	case *wire.Map:
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
