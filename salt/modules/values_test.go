package modules

import (
	"math"
	"testing"
	"time"

	"github.com/momtree/mom/value"
)

func TestTruth(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want bool
	}{
		{nil, false},
		{true, true},
		{"True", true},
		{"yes", false},
		{"1", true},
		{"0", false},
		{int64(-1), false},
		{0.5, true},
		{[]any{}, false},
		{[]any{1}, true},
		{value.NewMap("a", 1), true},
		{value.NewMap(), false},
	} {
		if got := isTrue(tt.v); got != tt.want {
			t.Errorf("isTrue(%#v) = %v, want %v", tt.v, got, tt.want)
		}
	}
}

func TestEqual(t *testing.T) {
	for _, tt := range []struct {
		a, b any
		want bool
	}{
		{int64(1), 1.0, true},
		{true, int64(1), true},
		{"1", int64(1), false},
		{nil, nil, true},
		{nil, false, false},
		{[]any{"a", int64(1)}, []any{"a", uint64(1)}, true},
		{[]any{"a"}, []any{}, false},
		{value.NewMap("a", 1, "b", 2), value.NewMap("b", 2, "a", 1), true},
		{value.NewMap("a", 1), value.NewMap("a", 2), false},
		{[]byte("x"), "x", false},
	} {
		if got := equal(tt.a, tt.b); got != tt.want {
			t.Errorf("equal(%s, %s) = %v, want %v", PyRepr(tt.a), PyRepr(tt.b), got, tt.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for f, want := range map[float64]time.Duration{0: 0, 1.5: 1500 * time.Millisecond, 1e300: math.MaxInt64} {
		if got := seconds(f); got != want {
			t.Errorf("seconds(%v) = %v, want %v", f, got, want)
		}
	}
}

func TestTraverse(t *testing.T) {
	data := value.NewMap("a", value.NewMap("b", []any{"x", value.NewMap("c", int64(1), "0", "zero"), "z"}),
		"5", "text", int64(7), "number", "n", nil)
	for _, tt := range []struct {
		path string
		want any
		ok   bool
	}{
		{"a:b:0", "x", true},
		{"a:b:2", "z", true},
		{"a:b:-1", "z", true},
		{"a:b:c", int64(1), true},
		{"a:b:9", nil, false},
		{"5", "text", true},
		{"7", "number", true},
		{"n", nil, true},
		{"n:x", nil, false},
		{"a:q", nil, false},
		{"", nil, false},
	} {
		got, ok := traverse(data, tt.path, ":")
		if got != tt.want || ok != tt.ok {
			t.Errorf("traverse %q = %v, %v; want %v, %v", tt.path, got, ok, tt.want, tt.ok)
		}
	}
	if got, ok := traverse(map[string]any{"x": map[string]any{"y": []string{"z"}}}, "x|y|0", "|"); got != "z" || !ok {
		t.Errorf("Go maps: %v, %v", got, ok)
	}
}
