package functions

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/value"
)

// show returns its arguments.
func show(_ context.Context, c *Call[int]) (any, error) {
	var out []string
	for _, name := range []string{"a", "b", "c"} {
		if v, ok := c.Arg(name); ok {
			out = append(out, fmt.Sprintf("%s=%v", name, v))
		}
	}
	return strings.Join(out, " "), nil
}

func stock() *Registry[int] {
	r := NewRegistry[int]("runner")
	r.Register(
		Function[int]{Name: "m.two", Args: []string{"a", "b="}, Run: show, Doc: "Two."},
		Function[int]{Name: "m.many", Args: []string{"a", "b", "*"}, AnyKwargs: true, Run: show, Doc: "Many.", Who: server.User},
		Function[int]{Name: "m.panic", Run: func(context.Context, *Call[int]) (any, error) { panic("boom") }, Doc: "Panics."},
		Function[int]{Name: "m.any", Args: []string{"l=", "t=", "e=", "none=", "single="}, Lists: []string{"l", "t", "e", "none"}, AnyKwargs: true, Run: show, Doc: "Any."},
		Function[int]{Name: "n.none", Run: show, Doc: "None."},
	)
	return r
}

// Missing, unknown and surplus arguments are reported in Salt's words.
func TestRun(t *testing.T) {
	const invalid = "Passed invalid arguments: "
	r := stock()
	for _, c := range []struct {
		fun    string
		args   []any
		kwargs []any
		want   string
	}{
		{"m.two", []any{1}, nil, "a=1"},
		{"m.two", []any{1, 2}, nil, "a=1 b=2"},
		{"m.two", nil, []any{"b", 2, "a", 1}, "a=1 b=2"},
		{"m.two", nil, []any{"b", 2}, invalid + "m.two() missing required argument: 'a'"},
		{"m.two", []any{1}, []any{"a", 2}, invalid + "m.two() got multiple values for argument 'a'"},
		{"m.two", []any{1}, []any{"a", 1}, invalid + "m.two() got multiple values for argument 'a'"},
		{"m.many", []any{1, 2, 3}, []any{"b", 2}, invalid + "m.many() got multiple values for argument 'b'"},
		{"m.many", []any{1, 2}, []any{7, 2}, invalid + "m.many() keywords must be strings, not 7"},
		{"m.two", []any{1, 2, 3}, nil, invalid + "m.two() takes 2 positional arguments but 3 were given"},
		{"m.two", []any{1}, []any{"c", 3}, invalid + "m.two() got an unexpected keyword argument 'c'"},
		{"m.many", []any{1, 2, 3, 4}, []any{"c", 5}, "a=1 b=2 c=5"},
		{"m.many", []any{1}, nil, invalid + "m.many() missing required argument: 'b'"},
		{"m.panic", nil, nil, "runner m.panic failed: boom"},
		{"m.none", nil, nil, "'m.none' is not available."},
		{"n.none", nil, nil, ""},
	} {
		v, err := r.Run(t.Context(), &Call[int]{Bound: r.Bind(Request{Fun: c.fun, Args: c.args, Kwargs: value.NewMap(c.kwargs...)})})
		got := fmt.Sprint(v)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s(%v, %v): %s, want %s", c.fun, c.args, c.kwargs, got, c.want)
		}
	}
	if _, err := r.Run(t.Context(), &Call[int]{Bound: r.Bind(Request{Fun: "n.none"})}); err != nil {
		t.Errorf("without keywords: %v", err)
	}
	for name, b := range map[string]Bound{"never bound": {}, "bound by another registry": stock().Bind(Request{Fun: "n.none"})} {
		if _, err := r.Run(t.Context(), &Call[int]{Bound: b}); err == nil {
			t.Errorf("%s: it runs", name)
		}
	}
}

// Salt has other words for arguments among the fields of a load.
func TestFields(t *testing.T) {
	for _, c := range []struct {
		fun  string
		load []any
		want string
	}{
		{"m.two", []any{"a", 1, "key", "x", "__jid__", 7}, "a=1"},
		{"m.two", []any{"a", 1, "x", 1}, "'x' is an invalid keyword argument for 'runner.m.two'"},
		{"m.two", []any{"x", 1, "a", 1, 7, 2, "y", 3}, "'x', '7' and 'y' are invalid keyword arguments for 'runner.m.two'"},
		{"m.two", nil, "two takes at least 1 argument (0 given)"},
		{"m.many", []any{"b", 1}, "many takes at least 2 arguments (1 given)"},
		{"m.many", []any{"b", 1, "a", 2, "c", 3}, "a=2 b=1 c=3"},
		{"no.such", []any{"x", 1}, "'no.such' is not available."},
	} {
		r := stock()
		v, err := r.Run(t.Context(), &Call[int]{Bound: r.BindFields(c.fun, value.NewMap(c.load...), "key")})
		got := fmt.Sprint(v)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s of %v: %s, want %s", c.fun, c.load, got, c.want)
		}
	}
}

func TestArguments(t *testing.T) {
	c := &Call[int]{Bound: stock().Bind(Request{Fun: "m.any", Kwargs: value.NewMap(
		"none", nil, "yes", "Yes", "n", "7", "odd", "odd", "s", 1.5, "l", []any{"a", "b,1"}, "t", "a, b,", "e", ",")})}
	for name, want := range map[string]string{"none": "true <nil>", "yes": "true <nil>", "absent": "true <nil>", "odd": "false Passed invalid arguments: odd=odd is neither True nor False"} {
		if v, err := c.Flag(name, true); fmt.Sprint(v, err) != want {
			t.Errorf("flag %s: %v, %v", name, v, err)
		}
	}
	for name, want := range map[string]string{"n": "7 <nil>", "absent": "0 Passed invalid arguments: absent= is not a number of 0 or more"} {
		if v, err := c.Count(name); fmt.Sprint(v, " ", err) != want {
			t.Errorf("count %s: %v, %v", name, v, err)
		}
	}
	for name, want := range map[string]string{"s": "1.5s <nil>", "none": "1m0s <nil>", "odd": "0s Passed invalid arguments: odd=odd is not a number of seconds"} {
		if v, err := c.Seconds(name, time.Minute); fmt.Sprint(v, " ", err) != want {
			t.Errorf("seconds %s: %v, %v", name, v, err)
		}
	}
	for name, want := range map[string]string{"l": "[a b 1] <nil>", "t": "[a b] <nil>", "none": "[] <nil>", "single": "[] m.any reads single as a list and does not declare it as one", "e": "[] Passed invalid arguments: e is empty"} {
		if v, err := c.Patterns(name); fmt.Sprint(v, " ", err) != want {
			t.Errorf("patterns %s: %v, %v", name, v, err)
		}
	}
}

func TestRegistry(t *testing.T) {
	r := stock()
	for word, want := range map[string]string{"": "m.any m.many m.panic m.two n.none", "m": "m.any m.many m.panic m.two", "m.two": "m.two", "m.t": "", "none": ""} {
		if got := strings.Join(r.Match(word), " "); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
	if d := r.Docs(); d.Len() != 5 || d.String("m.two") != "Two." {
		t.Errorf("%v", d)
	}
	if r.Who("m.many") != server.User || r.Who("m.two") != server.Operator || r.Who("no.such") != server.Operator {
		t.Error("the rules are not those of the functions")
	}
	if f, ok := r.Lookup("m.two"); !ok || f.Doc != "Two." {
		t.Error("m.two is not found")
	}
	for name, f := range map[string]Function[int]{
		"twice":               {Name: "m.two", Run: show, Doc: "x"},
		"no module":           {Name: "two", Run: show, Doc: "x"},
		"no code":             {Name: "m.x", Doc: "x"},
		"no documentation":    {Name: "m.x", Run: show, Doc: " "},
		"an argument twice":   {Name: "m.x", Run: show, Doc: "x", Args: []string{"a", "a="}},
		"required at the end": {Name: "m.x", Run: show, Doc: "x", Args: []string{"a=", "b"}},
		"a list of nothing":   {Name: "m.x", Run: show, Doc: "x", Args: []string{"a"}, Lists: []string{"b"}},
		"for strangers":       {Name: "m.x", Run: show, Doc: "x", Who: server.Anyone},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: registered", name)
				}
			}()
			r.Register(f)
		}()
	}
	if !slices.Equal(r.Names(), []string{"m.any", "m.many", "m.panic", "m.two", "n.none"}) {
		t.Errorf("%v", r.Names())
	}
}

// A long text is printed in pieces that fit events, split at line ends if possible.
func TestPrint(t *testing.T) {
	var got []string
	c := &Call[int]{Report: func(kind string, data *value.Map) {
		if kind != KindPrint || len(data.String("text")) > printed {
			t.Errorf("%s of %d bytes", kind, len(data.String("text")))
		}
		got = append(got, data.String("text"))
	}}
	line := strings.Repeat("x", printed/3)
	c.Print(strings.Join([]string{line, line, line, line}, "\n"))
	if strings.Join(got, "\n") != strings.Join([]string{line, line, line, line}, "\n") || len(got) != 2 {
		t.Errorf("%d pieces", len(got))
	}
	got = nil
	c.Print(strings.Repeat("y", 2*printed+5))
	if strings.Join(got, "") != strings.Repeat("y", 2*printed+5) || len(got) != 3 {
		t.Errorf("%d pieces", len(got))
	}
	(&Call[int]{}).Progress("to nobody")
}
