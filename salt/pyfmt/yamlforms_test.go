package pyfmt

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Salt 3006.27 reads these forms beyond plain YAML 1.1; a !!set is a list here.
func TestFormsOfSaltsLoader(t *testing.T) {
	big1, _ := new(big.Int).SetString("100000000000000000000", 10)
	pair := func(k, v any) []any { return []any{k, v} }
	for text, want := range map[string]any{
		`a: "\/x\/"`:                    pair("a", "/x/"),
		`{'a\/': "b\\/c", d: "\/"}`:     []any{`a\/`, `b\/c`, "d", "/"},
		"%YAML 1.2\n---\na: 1":          pair("a", int64(1)),
		"a: !!omap {x: 1, y: 2}":        pair("a", []any{"x", int64(1), "y", int64(2)}),
		"a: !!pairs [x: 1, x: 2]":       pair("a", []any{[]any{"x", int64(1)}, []any{"x", int64(2)}}),
		"a: !!set {x, y}":               pair("a", []any{"x", "y"}),
		"a: !!binary aGVsbG8=":          pair("a", "hello"),
		"a: !!binary /9j/":              pair("a", []byte{0xff, 0xd8, 0xff}),
		"=: 1":                          pair("=", int64(1)),
		"a: 100000000000000000000":      pair("a", big1),
		"a: &x 1\nb: &y 2\nc: [*x, *y]": []any{"a", int64(1), "b", int64(2), "c", []any{int64(1), int64(2)}},
	} {
		got, err := ReadYAMLBig(t.Context(), []byte(text), maxNodes)
		same := cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
		if d := cmp.Diff(want, fuzzValue(got), same); err != nil || d != "" {
			t.Errorf("%q: %v\n%s", text, err, d)
		}
	}
}

func TestAnchorsAreSetOnce(t *testing.T) {
	_, err := ReadYAML([]byte("a: &x 1\nb: &x 2\nc: *x"))
	f, ok := err.(*YAMLFault)
	want := "found duplicate anchor; first occurrence\n  in \"<unicode string>\", line 1, column 4\nsecond occurrence\n  in \"<unicode string>\", line 2, column 4"
	if !ok || f.Salt != want || f.Line != 2 {
		t.Errorf("%v", err)
	}
}

// The line is that of the fault, not that of the start of the enclosing collection.
func TestLineOfAFault(t *testing.T) {
	for text, want := range map[string]int{
		"a:\n  b: 1\n c: 2\n":                             3,
		"# c\na:\n  b: 1\n c: 2\n":                        4,
		"\n\n# c\na:\n  b:\n    x: 1\n   y: 2\n":          7,
		"# c\n- a\nb: 1\n":                                3,
		"# c\na:\n- name: x\n  val: y\n bad: 1\n":         5,
		"# c\na: [x, y\nb: 1\n":                           3,
		"x: 1\na:\n  - b: c: d\n":                         3,
		strings.Repeat("# c\n", 50) + "a:\n  b: 1\n c: 2": 53,
	} {
		_, err := ReadYAMLContext(context.Background(), []byte(text), maxNodes)
		if f, ok := err.(*YAMLFault); !ok || f.Line != want {
			t.Errorf("%q: want line %d, got %v", text, want, err)
		}
	}
}
