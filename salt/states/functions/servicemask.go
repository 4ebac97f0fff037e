package functions

import (
	"context"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	spec := states.Spec{Args: []states.Arg{{Name: "name", Required: true}, {Name: "runtime", Default: false}}}
	Register("service",
		Function{Name: "masked", Spec: spec, Run: serviceMask(true), Doc: `
Ensure that the service name is masked; with runtime=True, until the next boot.
The two masks are independent. With systemd only.

    telnetd:
      service.masked: []
`},
		Function{Name: "unmasked", Spec: spec, Run: serviceMask(false), Doc: `
Ensure that the service name is not masked; with runtime=True, not until the
next boot. With systemd only.

    nginx:
      service.unmasked: []
`},
	)
}

func serviceMask(want bool) func(context.Context, *Call) (*states.Result, error) {
	return func(ctx context.Context, c *Call) (*states.Result, error) {
		return c.setMask(ctx, want, c.Truth("runtime"))
	}
}

// setMask masks or unmasks a service.
func (c *Call) setMask(ctx context.Context, want, runtime bool) (*states.Result, error) {
	name, r := c.Name(), outcome(c)
	if !modules.HasSystemd(c.Env) {
		return says(r, false, "Service masking not available on this minion")
	}
	kind := map[bool]string{true: "runtime "}[runtime]
	fun, done := "mask", kind+"masked"
	already := "is already " + done
	if !want {
		fun, done = "unmask", kind+"unmasked"
		already = "was already " + done
	}
	is, err := c.truthOf(ctx, "service.masked", name, runtime)
	if err != nil {
		return nil, err
	}
	if is == want {
		return says(r, true, "Service %s %s", name, already)
	}
	changes := value.NewMap(kind+"masked", value.NewMap("old", !want, "new", want))
	if c.Test {
		r.Changes = changes
		return says(r, nil, "Service %s would be %s", name, done)
	}
	_, err = c.Module(ctx, "service."+fun, []any{name, runtime}, nil)
	if text, failed := work(err); failed {
		return says(r, false, "%s", text)
	}
	if err != nil {
		return nil, err
	}
	if is, err = c.truthOf(ctx, "service.masked", name, runtime); err != nil {
		return nil, err
	}
	if is != want {
		return says(r, true, "Failed to %s service %s", fun, name) // true, as in Salt
	}
	r.Changes = changes
	return says(r, true, "Service %s was %s", name, done)
}

// unmask unmasks a service that is to run, if the state says so, and returns a line about
// it.
func (c *Call) unmask(ctx context.Context, run bool) (string, error) {
	if !run || !pyfmt.Truth(get(c.Kwargs, "unmask")) {
		return "", nil
	}
	r, err := c.setMask(ctx, false, pyfmt.Truth(get(c.Kwargs, "unmask_runtime")))
	if err != nil {
		return "", err
	}
	return "\n" + r.Comment, nil
}
