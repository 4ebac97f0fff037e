package access

import (
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

func kw(pairs ...any) *wire.Map { return wire.NewMap(pairs...) }

// A list that minions may read in two ways matches no rule with args or kwargs, and the reason
// names the argument. Rules without them ignore arguments.
func TestCallInTwoWays(t *testing.T) {
	l := New(Options{Log: quiet})
	args := func(e ...any) []any {
		return []any{map[string]any{"*": []any{map[string]any{"cmd.run": []any{map[string]any{"args": e}}}}}}
	}
	runas := []any{map[string]any{"*": []any{map[string]any{"cmd.run": []any{map[string]any{"kwargs": map[string]any{"runas": "nobody"}}}}}}}
	for _, c := range []struct {
		rules []any
		list  []any
		want  string // of the reason; "": allowed
	}{
		{args("id"), []any{"id"}, ""},
		{args(nil), []any{"id", kw("__kwarg__", true, "cwd", "/")}, ""},
		{args(nil), []any{"a==b", kw("x", 1)}, ""},
		{runas, []any{"id", kw("__kwarg__", true, "runas", "nobody")}, ""},
		{runas, []any{"id", nil, nil, nil, nil, "/bin/sh", true, kw("__kwarg__", false, "runas", "nobody")}, "__kwarg__ is False, not True"},
		{runas, []any{"id", kw("__kwarg__", int64(1), "runas", "nobody")}, "__kwarg__ is 1, not True"},
		{runas, []any{"id", kw("__kwarg__", "True", "runas", "nobody")}, "__kwarg__ is True, not True"},
		{runas, []any{"id", kw("runas", "nobody")}, "keyword runas is missing"},
		{runas, []any{"runas=root", kw("__kwarg__", true, "runas", "nobody")}, `argument 1, "runas=root", may be read as the keyword runas`},
		{runas, []any{"id", kw("__kwarg__", true, "runas", []byte("nobody"))}, "the keyword runas is or holds data that is not text"},
		{runas, []any{"id", kw("__kwarg__", true, "runas", "nobody", "__pub_user", "x")}, "the keyword __pub_user"},
		{runas, []any{"id", kw("__kwarg__", true, "runas", "nobody", int64(7), "x")}, "the keyword 7 is not a text"},
		{args(nil, "/tmp/.*"), []any{kw("__kwarg__", true), "/tmp/a", "/etc/x"}, "argument 1 is a map with __kwarg__ that is not the last"},
		{args("echo.*"), []any{"echo=1", "id"}, `argument 1, "echo=1", may be read as the keyword echo`},
		{args("id"), []any{"id", "cwd=/root"}, `argument 2, "cwd=/root"`},
		{args("id"), []any{"id", []byte("cwd=/root")}, "argument 2 is or holds data that is not text"},
		{args("id"), []any{"id", []any{[]byte("x")}}, "argument 2 is or holds data that is not text"},
		{args("id"), []any{"id", "\xff"}, "argument 2 is or holds data that is not text"},
		{args("id"), []any{"uptime"}, `argument 1 is "uptime", which id does not match`},
		{args("id", nil), []any{"id"}, "argument 2 is missing"},
		{[]any{"cmd.run"}, []any{"runas=root", kw("__kwarg__", false), []byte("x")}, ""},
		{args(), []any{"runas=root"}, ""},
	} {
		v := l.Judge(c.rules, []Call{newCall("cmd.run", c.list)}, here("m1"))
		why := ""
		if len(v.Calls[0].Rules) > 0 {
			why = v.Calls[0].Rules[0].Why
		}
		if v.Allowed != (c.want == "") || !strings.Contains(why, c.want) {
			t.Errorf("%v by %v: %v, %q, want %q", c.list, c.rules, v.Allowed, why, c.want)
		}
		if newCall("", c.list).Fault() != nil && !v.Allowed && !strings.Contains(v.String(), c.want) {
			t.Errorf("%v: the log has %q", c.list, v)
		}
	}
}

// Arguments that minions parse in their own way are ambiguous.
func TestCallsThatAreNoLists(t *testing.T) {
	for _, c := range []struct {
		fun, arg any
		fault    bool
	}{
		{"a.b", nil, false},
		{"a.b", []any{}, false},
		{"a.b", "id", true},
		{"a.b", kw("__kwarg__", true, "x", 1), true},
		{"a.b", int64(1), true},
		{[]any{"a.b"}, []any{[]any{"x"}}, false},
		{[]any{"a.b"}, []any{}, false},
		{[]any{"a.b"}, nil, false},
		{[]any{"a.b"}, []any{"x"}, true},
		{[]any{"a.b"}, []any{kw("__kwarg__", true)}, true},
		{[]any{"a.b"}, []any{[]any{}, []any{}}, true},
		{[]any{"a.b"}, "xy", true},
	} {
		fun, err := wire.Encode(c.fun)
		if err != nil {
			t.Fatal(err)
		}
		arg, err := wire.Encode(c.arg)
		if err != nil {
			t.Fatal(err)
		}
		calls, err := Calls(wire.PublishLoad{Fun: fun, Arg: arg})
		if err != nil || (calls[0].Fault() != nil) != c.fault {
			t.Errorf("%v of %v: %+v, %v", c.fun, c.arg, calls, err)
		}
	}
}
