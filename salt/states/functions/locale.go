package functions

import (
	"context"

	"github.com/momtree/mom/salt/states"
)

func init() {
	spec := states.Spec{Args: []states.Arg{{Name: "name", Required: true}}}
	Register("locale",
		Function{Name: "system", Spec: spec, Run: localeSystem, Doc: `
Ensure that the locale of the host is name.

    en_US.UTF-8:
      locale.system: []
`},
		Function{Name: "present", Spec: spec, Run: localePresent, Doc: `
Ensure that the locale name is generated. On Debian and Gentoo its character map
may follow.

    en_US.UTF-8:
      locale.present: []
`},
	)
}

func localeSystem(ctx context.Context, c *Call) (*states.Result, error) {
	name, r := c.Name(), outcome(c)
	now, err := c.Module(ctx, "locale.get_locale", nil, nil)
	switch {
	case err != nil:
	case now == name:
		return says(r, true, "System locale %s already set", name)
	case c.Test:
		return says(r, nil, "System locale %s needs to be set", name)
	default:
		var ok bool
		if ok, err = c.truthOf(ctx, "locale.set_locale", name); err == nil {
			if !ok {
				return says(r, false, "Failed to set system locale to %s", name)
			}
			r.Changes.Set("locale", name)
			return says(r, true, "Set system locale %s", name)
		}
	}
	if text, failed := work(err); failed {
		return says(r, false, "Failed to set system locale: %s", text)
	}
	return nil, err
}

func localePresent(ctx context.Context, c *Call) (*states.Result, error) {
	name, r := c.Name(), outcome(c)
	there, err := c.truthOf(ctx, "locale.avail", name)
	switch {
	case err != nil:
		return nil, err
	case there:
		return says(r, true, "Locale %s is already present", name)
	case c.Test:
		return says(r, nil, "Locale %s needs to be generated", name)
	}
	made, err := c.truthOf(ctx, "locale.gen_locale", name)
	switch {
	case err != nil:
		return nil, err
	case !made:
		return says(r, false, "Failed to generate locale %s", name)
	}
	r.Changes.Set("locale", name)
	return says(r, true, "Generated locale %s", name)
}
