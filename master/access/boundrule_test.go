package access

import (
	"context"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/functions"
)

// Rules match a runner's arguments by parameter: a position and its name are the same, and each
// name in a list counts.
func TestRulesOfBoundCalls(t *testing.T) {
	r := functions.NewRegistry[int]("runner")
	var ran *functions.Call[int]
	r.Register(functions.Function[int]{
		Name: "state.orchestrate", Args: []string{"mods", "saltenv="}, Lists: []string{"mods"}, Doc: "Orchestrates.",
		Run: func(_ context.Context, c *functions.Call[int]) (any, error) { ran = c; return nil, nil },
	})
	l := New(Options{Log: quiet})
	rule := func(with map[string]any) []any {
		return []any{map[string]any{"@runner": []any{map[string]any{"state.orchestrate": []any{with}}}}}
	}
	byPlace, byName := rule(map[string]any{"args": []any{"deploy|web"}}), rule(map[string]any{"kwargs": map[string]any{"mods": "deploy|web"}})
	second := rule(map[string]any{"args": []any{nil, "prod"}})
	for _, c := range []struct {
		rules  []any
		args   []any
		kwargs *wire.Map
		want   string // of the reason; "": allowed
	}{
		{byPlace, []any{"deploy"}, nil, ""},
		{byPlace, nil, kw("mods", "deploy"), ""},
		{byName, []any{"deploy"}, nil, ""},
		{byName, nil, kw("mods", "deploy"), ""},
		{byPlace, []any{[]any{"deploy", "web"}}, nil, ""},
		{byPlace, []any{"deploy, web"}, nil, ""},
		{byPlace, []any{"deploy,secret"}, nil, `argument 1 (mods) is "secret"`},
		{byName, []any{[]any{"deploy", "secret"}}, nil, `keyword mods is "secret"`},
		{byName, []any{[]any{"deploy,secret"}}, nil, `keyword mods is "secret"`},
		{byPlace, []any{"deploy"}, kw("mods", "secret"), "got multiple values for argument 'mods'"},
		{byName, []any{"secret"}, kw("mods", "deploy"), "got multiple values for argument 'mods'"},
		{byPlace, nil, kw("mods", "secret"), `argument 1 (mods) is "secret"`},
		{second, nil, kw("saltenv", "prod", "mods", "x"), ""},
		{second, []any{"x"}, kw("saltenv", "dev"), `argument 2 (saltenv) is "dev"`},
		{second, []any{"x"}, nil, "argument 2 (saltenv) is missing"},
		{[]any{"@runner"}, []any{"deploy"}, kw("mods", "secret"), ""}, // it fails at run time
	} {
		b := r.Bind(functions.Request{Fun: "state.orchestrate", Args: c.args, Kwargs: c.kwargs})
		v := l.JudgeRunner(c.rules, b)
		if why := v.Calls[0].Rules[0].Why; v.Allowed != (c.want == "") || !strings.Contains(why, c.want) {
			t.Errorf("%v %v: %v, %q, want %q", c.args, c.kwargs, v.Allowed, why, c.want)
		}
		ran = nil
		if _, err := r.Run(t.Context(), &functions.Call[int]{Bound: b}); (err == nil) != (ran != nil) || (err == nil) != (b.Fault() == nil) {
			t.Errorf("%v %v: runs %v, %v", c.args, c.kwargs, ran != nil, err)
		}
	}
}
