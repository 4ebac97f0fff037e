package modules

import (
	"context"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

var bindFn = Function{
	Name: "f", Args: []Arg{{Name: "a", Required: true}, {Name: "b", Default: "B"}},
	Run: func(context.Context, *Call) (any, error) { return nil, nil },
}

func TestBind(t *testing.T) {
	open := bindFn
	open.VarArgs, open.VarKw = true, true
	three := Function{Name: "g", Args: []Arg{{Name: "x", Required: true}, {Name: "y", Required: true}, {Name: "z", Required: true}}}
	tests := []struct {
		name   string
		fn     Function
		args   []any
		want   []any
		kwargs m
		err    string
	}{
		{"positional", bindFn, []any{int64(1)}, []any{int64(1), "B"}, m{}, ""},
		{"keywords", bindFn, []any{kw("b", "y", "a", "x")}, []any{"x", "y"}, m{}, ""},
		{"both", bindFn, []any{"x", kw("b", nil)}, []any{"x", nil}, m{}, ""},
		{"keywords before positional", bindFn, []any{kw("b", "y"), "x"}, []any{"x", "y"}, m{}, ""},
		{"text keyword", bindFn, []any{"x", "b=5"}, []any{"x", int64(5)}, m{}, ""},
		{"empty text keyword", bindFn, []any{"x", "b="}, []any{"x", ""}, m{}, ""},
		{"text that only looks so", bindFn, []any{"a == b", "1=2"}, []any{"a == b", "1=2"}, m{}, ""},
		{"text of an unknown name", bindFn, []any{"q=1 env"}, []any{"q=1 env", "B"}, m{}, ""},
		{"text of two lines", bindFn, []any{"b=1\nc=2"}, []any{"b=1\nc=2", "B"}, m{}, ""},
		{"map without mark", bindFn, []any{value.NewMap("b", 1)}, []any{value.NewMap("b", 1), "B"}, m{}, ""},
		{"mark that is not True", bindFn, []any{value.NewMap(kwargMarker, false)}, []any{value.NewMap(kwargMarker, false), "B"}, m{}, ""},
		{"publication fields dropped", open, []any{"x", kw("__pub_jid", "1", "k", "v"), "__pub_fun=f"}, []any{"x", "B"}, m{"k": "v"}, ""},
		{"extra", open, []any{"x", "y", "z", kw("k", int64(1))}, []any{"x", "y", "z"}, m{"k": int64(1)}, ""},
		{"missing one", bindFn, nil, nil, nil, "f() missing 1 required positional argument: 'a'"},
		{"missing two", three, []any{"v"}, nil, nil, "g() missing 2 required positional arguments: 'y' and 'z'"},
		{"missing three", three, nil, nil, nil, "g() missing 3 required positional arguments: 'x', 'y', and 'z'"},
		{"none taken", Function{Name: "ping"}, []any{"x"}, nil, nil, "ping() takes 0 positional arguments but 1 was given"},
		{"one taken", Function{Name: "h", Args: three.Args[:1]}, []any{1, 2}, nil, nil, "h() takes 1 positional argument but 2 were given"},
		{"some taken", bindFn, []any{1, 2, 3}, nil, nil, "f() takes from 1 to 2 positional arguments but 3 were given"},
		{"twice", bindFn, []any{1, kw("a", 2)}, nil, nil, "f() got multiple values for argument 'a'"},
		{"unknown", bindFn, []any{1, kw("q", true, "r", []any{"s"})}, nil, nil, "The following keyword arguments are not valid: q=True, r=['s']"},
		{"keyword that is not a string", open, []any{1, kw(int64(5), 1)}, nil, nil, "keywords must be strings, not 5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Bind("mod."+tt.fn.Name, tt.fn, tt.args)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Fatalf("err = %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			same(t, "args", plainValue(c.Args), plainValue(tt.want))
			same(t, "kwargs", plainValue(c.Kwargs), any(tt.kwargs))
		})
	}
}

func TestBind_DoesNotChangeItsInput(t *testing.T) {
	mark := kw("b", "y")
	if _, err := Bind("m.f", bindFn, []any{"x", mark}); err != nil {
		t.Fatal(err)
	}
	same(t, "marked map", plainValue(mark), any(m{"b": "y", kwargMarker: true}))
}

func FuzzBind(f *testing.F) {
	for _, args := range [][]any{{"x"}, {"x", kw("b", 1)}, {kw("a", nil), "b=[1]"}, {[]any{"x"}, kw(5, 5)}, {"__pub_x=1"}} {
		b, err := wire.Encode(args)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(b), byte(len(args)))
	}
	f.Fuzz(func(t *testing.T, b []byte, flags byte) {
		v, err := wire.Decode(b)
		if err != nil {
			return
		}
		args, ok := v.([]any)
		if !ok {
			return
		}
		fn := bindFn
		fn.VarArgs, fn.VarKw = flags&1 != 0, flags&2 != 0
		c, err := Bind("m.f", fn, args)
		if err != nil {
			if strings.TrimSpace(explain("m.f", err)) == "" {
				t.Fatal("an error without text")
			}
			return
		}
		if len(c.Args) < len(fn.Args) || !fn.VarArgs && len(c.Args) != len(fn.Args) {
			t.Fatalf("%d values for %d arguments", len(c.Args), len(fn.Args))
		}
		for _, k := range c.Kwargs.Keys() {
			name, ok := k.(string)
			if !ok || !fn.VarKw || fn.has(name) || strings.HasPrefix(name, pubPrefix) {
				t.Fatalf("keyword %v came through", k)
			}
		}
	})
}
