package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
)

func TestNormal(t *testing.T) {
	lists := []any{int64(1), []string{"a", "b"}}
	for _, tt := range []struct{ v, want any }{
		{nil, nil},
		{int64(1), int64(1)},
		{[]string{}, []any{}},
		{lists, []any{int64(1), []any{"a", "b"}}},
		{map[string]any{"b": lists, "a": nil}, wire.NewMap("a", nil, "b", []any{int64(1), []any{"a", "b"}})},
		{map[any]any{true: "x", 2: map[string]any{}}, wire.NewMap("2", wire.NewMap(), "true", "x")},
	} {
		if d := cmp.Diff(tt.want, wire.Normal(tt.v), cmp.Comparer(func(a, b *wire.Map) bool { return a.GoString() == b.GoString() })); d != "" {
			t.Errorf("%#v (-want +got):\n%s", tt.v, d)
		}
	}
	if _, is := lists[1].([]string); !is {
		t.Error("the list that was given has been changed")
	}
}
