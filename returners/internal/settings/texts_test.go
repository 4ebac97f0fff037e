package settings

import (
	"slices"
	"strings"
	"testing"
)

func TestTexts(t *testing.T) {
	r := New(map[string]any{"a": []any{"x:1", " y:2 ", ""}, "b": "x, y", "c": []any{1}, "d": true}, "")
	if a, b, none := r.Texts("a"), r.Texts("b"), r.Texts("none"); !slices.Equal(a, []string{"x:1", "y:2"}) || !slices.Equal(b, []string{"x", "y"}) || none != nil || r.Err() != nil {
		t.Errorf("%q %q %q, %v", a, b, none, r.Err())
	}
	r.Texts("c")
	r.Texts("d")
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "c must be a list of texts") || !strings.Contains(err.Error(), "d must be a text") {
		t.Error(err)
	}
}
