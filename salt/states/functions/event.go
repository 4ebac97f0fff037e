package functions

import (
	"context"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	spec := states.Spec{Args: args(onlyName, "data", nil, "with_env", false, "with_grains", false, "with_pillar", false, "show_changed", true), VarKw: true}
	Register("event",
		Function{Name: "send", Spec: spec, Run: eventSend, Doc: `
Sends an event to the master.

name
    Its tag.
data
    Its data; further arguments are added.
with_env, with_grains, with_pillar : False
    Adds them: True, or a list of names.
show_changed : True
    Shows tag and data as changes.
`},
		Function{Name: "wait", Spec: states.Spec{Args: args(onlyName, "sfun", nil, "data", nil)}, Run: func(_ context.Context, c *Call) (*states.Result, error) {
			return good(c.Name(), ""), nil
		}, Doc: "\nSends an event when a state that it watches has changed.\n"},
		Function{Name: "mod_watch", Spec: spec, Run: eventSend, Doc: "\nSends the event of a state whose watch has fired.\n"},
	)
}

func eventSend(ctx context.Context, c *Call) (*states.Result, error) {
	res := bad(c.Name(), "")
	if c.Truth("show_changed") {
		res.Changes = value.NewMap("tag", c.Name(), "data", c.Value("data"))
	}
	if c.Test {
		res.Result, res.Comment = nil, "Event would have been fired"
		return res, nil
	}
	kw := c.Kwargs.Clone()
	for _, name := range []string{"sfun", "__reqs__"} {
		kw.Delete(name)
	}
	for _, name := range []string{"data", "with_env", "with_grains", "with_pillar"} {
		kw.Set(name, c.Value(name))
	}
	v, err := c.Module(ctx, "event.send", []any{c.Name()}, kw)
	if err != nil {
		return nil, err
	}
	res.Result, res.Comment = v, "Event fired"
	return res, nil
}
