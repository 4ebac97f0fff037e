package callargs

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// Arguments from a minion are read like those that a user types: words as YAML, name=value as
// keywords; values stay.
func TestParseAny(t *testing.T) {
	for name, c := range map[string]struct {
		in      []any
		noParse []string
		want    []any
	}{
		"none":           {nil, nil, []any{}},
		"words":          {[]any{"1", "[a, b]", "x"}, nil, []any{int64(1), []any{"a", "b"}, "x"}},
		"values":         {[]any{int64(3), true, nil, wire.NewMap("a", 1)}, nil, []any{int64(3), true, nil, wire.NewMap("a", 1)}},
		"keyword":        {[]any{"a", "k=1"}, nil, []any{"a", wire.NewMap("__kwarg__", true, "k", 1)}},
		"keywords twice": {[]any{"k=1", wire.NewMap("__kwarg__", true, "j", "2")}, nil, []any{wire.NewMap("__kwarg__", true, "k", 1, "j", "2")}},
		"not parsed":     {[]any{"k=1"}, []string{"k"}, []any{wire.NewMap("__kwarg__", true, "k", "1")}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := wire.Encode(ParseAny(c.in, c.noParse))
			if err != nil {
				t.Fatal(err)
			}
			want, err := wire.Encode(c.want)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Errorf("%v", ParseAny(c.in, c.noParse))
			}
		})
	}
}
