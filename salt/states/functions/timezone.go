package functions

import (
	"context"
	"errors"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
)

func init() {
	Register("timezone", Function{
		Name: "system", Run: timezoneSystem,
		Spec: states.Spec{Args: []states.Arg{{Name: "name", Required: true}, {Name: "utc", Default: true}}},
		Doc: `
Ensure that the time zone of the host is name, and that its hardware clock is
set to UTC; with utc=False the clock is not changed.

    Europe/Berlin:
      timezone.system:
        - utc: True
`,
	})
}

func timezoneSystem(ctx context.Context, c *Call) (*states.Result, error) {
	name, r := c.Name(), outcome(c)
	same, err := c.truthOf(ctx, "timezone.zone_compare", name)
	var misused *modules.InvocationError
	if text, failed := work(err); failed || errors.As(err, &misused) {
		if misused != nil {
			text = misused.Error()
		}
		return says(r, false, "Unable to compare desired timezone '%s' to system timezone: %s", name, text)
	}
	if err != nil {
		return nil, err
	}
	clock, err := c.Module(ctx, "timezone.get_hwclock", nil, nil)
	if err != nil {
		return nil, err
	}
	utc := pyfmt.Truth(c.Value("utc"))
	setClock := utc && clock == "localtime"
	var lines []string
	switch {
	case same && !setClock:
		lines = append(lines, "Timezone "+name+" already set")
		if utc {
			lines = append(lines, "UTC already set to "+name)
		}
		return says(r, true, "%s", strings.Join(lines, ", "))
	case c.Test:
		if !same {
			lines = append(lines, "Timezone "+name+" needs to be set")
		}
		if setClock {
			lines = append(lines, "UTC needs to be set to True")
		}
		return says(r, nil, "%s", strings.Join(lines, ", "))
	}
	for _, step := range []struct {
		due            bool
		fun, arg       string
		key            string
		value          any
		done, unworked string
	}{
		{!same, "timezone.set_zone", name, "timezone", name, "Set timezone " + name, "Failed to set timezone"},
		{setClock, "timezone.set_hwclock", "UTC", "utc", true, "Set UTC to True", "Failed to set UTC to True"},
	} {
		if !step.due {
			continue
		}
		ok, err := c.truthOf(ctx, step.fun, step.arg)
		if err != nil {
			return nil, err
		}
		r.Result = ok
		if !ok {
			lines = append(lines, step.unworked)
			continue
		}
		r.Changes.Set(step.key, step.value)
		lines = append(lines, step.done)
	}
	r.Comment = strings.Join(lines, ", ")
	return r, nil
}
