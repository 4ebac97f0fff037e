package registry

import (
	"slices"
	"strings"
	"testing"
)

func TestRegister_Mistakes(t *testing.T) {
	good := Entry{Name: "f", Doc: "what it does", Code: true}
	with := func(change func(*Entry)) Entry {
		e := good
		change(&e)
		return e
	}
	for name, c := range map[string]struct {
		module string
		entry  Entry
		want   string
	}{
		"no module":         {"", good, `bad function name ".f"`},
		"no name":           {"m", with(func(e *Entry) { e.Name = "" }), "bad function name"},
		"a dot":             {"m", with(func(e *Entry) { e.Name = "a.b" }), "bad function name"},
		"twice":             {"there", good, "registered twice: there.f"},
		"no code":           {"m", with(func(e *Entry) { e.Code = false }), "without code or documentation: m.f"},
		"no doc":            {"m", with(func(e *Entry) { e.Doc = "\n" }), "without code or documentation: m.f"},
		"argument twice":    {"m", with(func(e *Entry) { e.Args = []Arg{{Name: "a"}, {Name: "a"}} }), `bad argument "a" of m.f`},
		"required too late": {"m", with(func(e *Entry) { e.Args = []Arg{{Name: "a"}, {Name: "b", Required: true}} }), `bad argument "b" of m.f`},
	} {
		t.Run(name, func(t *testing.T) {
			r := New("things", func(e Entry) Entry { return e })
			r.Register("there", good)
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, c.want) || !strings.HasPrefix(text, "things: ") {
					t.Errorf("panic %q, want %q", text, c.want)
				}
			}()
			r.Register(c.module, c.entry)
		})
	}
}

func TestRegistry(t *testing.T) {
	r := New("things", func(e Entry) Entry { return e })
	r.Register("b", Entry{Name: "y", Doc: "d", Code: true}, Entry{Name: "x", Doc: "d", Code: true})
	r.Register("a", Entry{Name: "z", Doc: "d", Code: true})
	if got := r.Names(); !slices.Equal(got, []string{"a.z", "b.x", "b.y"}) {
		t.Errorf("names %v", got)
	}
	if got := r.Modules(); !slices.Equal(got, []string{"a", "b"}) || !r.HasModule("a") || r.HasModule("c") {
		t.Errorf("modules %v", got)
	}
	if _, ok := r.Lookup("b.x"); !ok {
		t.Error("b.x not found")
	}
	r.Remove("b.x")
	if _, ok := r.Lookup("b.x"); ok {
		t.Error("b.x found after its removal")
	}
}
