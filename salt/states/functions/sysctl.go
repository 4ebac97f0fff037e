package functions

import (
	"context"
	"regexp"
	"strings"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("sysctl", Function{Name: "present", Run: sysctlPresent, Spec: states.Spec{Args: args([]string{"name", "value"}, "config", nil)}, Doc: `
Ensure that a kernel parameter has a value now and after a restart.

name, value
    The parameter and its value, as sysctl shows it.
config
    The file that stores it, by default that of the host.

    vm.swappiness:
      sysctl.present:
        - value: 20
`})
}

// sysctlBlanks matches runs of one kind of blank.
var sysctlBlanks = regexp.MustCompile(" +|\t+")

func sysctlPresent(ctx context.Context, c *Call) (*states.Result, error) {
	r, name, want := outcome(c), c.Name(), pystr(c.Value("value"))
	config := c.Value("config")
	if config == nil {
		var err error
		if config, err = c.Module(ctx, "sysctl.default_config", nil, nil); err != nil {
			return nil, err
		}
	}
	if c.Test {
		return sysctlTest(ctx, c, r, want, pystr(config))
	}
	done, err := c.Module(ctx, "sysctl.persist", []any{name, c.Value("value"), config}, nil)
	if text, failed := work(err); failed {
		return says(r, false, "Failed to set %s to %s: %s", name, want, text)
	}
	switch done {
	case "Updated":
		r.Changes.Set(name, c.Value("value"))
		r.Comment = "Updated sysctl value " + name + " = " + want
	case "Already set":
		r.Comment = "Sysctl value " + name + " = " + want + " is already set"
	}
	return r, err
}

func sysctlTest(ctx context.Context, c *Call, r *states.Result, want, config string) (*states.Result, error) {
	name := c.Name()
	shown, err := c.Module(ctx, "sysctl.show", nil, value.NewMap("config_file", config))
	if _, failed := work(err); err != nil && !failed {
		return nil, err
	}
	configured, ok := shown.(*value.Map)
	if !ok {
		configured = value.NewMap() // the file does not exist yet
	}
	if err != nil {
		return says(r, nil, "Sysctl option %s might be changed, we failed to check config file at %s. The file is either unreadable, or missing.", name, config)
	}
	now, err := c.Module(ctx, "sysctl.get", []any{name}, nil)
	if err != nil {
		return nil, err
	}
	current := pystr(now)
	switch {
	case current == "" && configured.Has(name):
		return says(r, nil, "Sysctl value %s is present in configuration file but is not present in the running config. The value %s is set to be changed to %s", name, name, want)
	case current == "":
	case configured.Has(name):
		if strings.Join(strings.Fields(current), " ") == strings.Join(strings.Fields(want), " ") {
			return says(r, true, "Sysctl value %s = %s is already set", name, want)
		}
	case sysctlBlanks.ReplaceAllString(current, " ") != sysctlBlanks.ReplaceAllString(want, " "):
		return says(r, nil, "Sysctl option %s set to be changed to %s", name, want)
	default:
		return says(r, nil, "Sysctl value is currently set on the running system but not in a config file. Sysctl option %s set to be changed to %s in config file.", name, want)
	}
	return says(r, nil, "Sysctl option %s would be changed to %s", name, want)
}
