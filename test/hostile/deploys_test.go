package hostile

import (
	"context"
	"strings"

	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/wheels"
)

// deploys are runners and wheel functions that do nothing but record what they are given.
var deploys = map[string]signature{
	"deploy.status": {params: []string{"detail"}},
	"deploy.run":    {params: []string{"name", "env", "pillar"}, required: 1},
	"deploy.many":   {params: []string{"name"}, required: 1, varargs: true},
	"deploy.free":   {params: []string{"name"}, required: 1, varkw: true},
}

// recording is who hears what runs at the master.
var recording func(execution)

func init() {
	for name, s := range deploys {
		runners.Register(recorder[runners.Env](name, s, runnerRules))
		wheels.Register(recorder[wheels.Env](name, s, wheelRules))
	}
}

// recorder is a function of a registry that reads its arguments as all others do.
func recorder[E any](name string, s signature, k kind) functions.Function[E] {
	f := functions.Function[E]{Name: name, Doc: "Records a call.", AnyKwargs: s.varkw}
	for i, p := range s.params {
		if i >= s.required {
			p += "="
		}
		f.Args = append(f.Args, p)
	}
	if s.varargs {
		f.Args = append(f.Args, "*")
	}
	f.Run = func(_ context.Context, c *functions.Call[E]) (any, error) {
		e := execution{by: "mom", kind: k, fun: name, given: map[string]any{}, free: map[string]any{}}
		for _, p := range s.params {
			if v, ok := c.Arg(p); ok {
				e.given[p] = v
			}
		}
		e.rest = c.Rest()
		c.Extra().Range(func(key, v any) bool {
			if name, _ := key.(string); !strings.HasPrefix(name, "__") {
				e.free[name] = v
			}
			return true
		})
		recording(e)
		return true, nil
	}
	return f
}
