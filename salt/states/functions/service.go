package functions

import (
	"context"
	"time"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	name := states.Arg{Name: "name", Required: true}
	run := states.Spec{Args: []states.Arg{name, {Name: "enable"}, {Name: "sig"}, {Name: "init_delay"}}, VarKw: true}
	const about = `
enable
    True has it started with the system, False not; else that stays as it is
sig
    a process whose command line has this text is the service (not with systemd,
    which knows its processes)
init_delay
    seconds to wait after it was started or stopped
no_block, unmask, unmask_runtime
    as service.start has them; passed over where systemd does not run
`
	Register("service",
		Function{Name: "running", Spec: run, Run: serviceRunning, Doc: `
Ensure that the service name runs.
` + about + `
    nginx:
      service.running:
        - enable: True
        - watch:
          - file: /etc/nginx/nginx.conf
`},
		Function{Name: "dead", Spec: run, Run: serviceDead, Doc: `
Ensure that the service name does not run.
` + about + `
    telnetd:
      service.dead:
        - enable: False
`},
		Function{Name: "enabled", Spec: states.Spec{Args: []states.Arg{name}, VarKw: true}, Run: serviceToggle(true), Doc: `
Ensure that the service name is started with the system.

    nginx:
      service.enabled: []
`},
		Function{Name: "disabled", Spec: states.Spec{Args: []states.Arg{name}, VarKw: true}, Run: serviceToggle(false), Doc: `
Ensure that the service name is not started with the system.

    telnetd:
      service.disabled: []
`},
		Function{
			Name: "mod_watch", Run: serviceWatch,
			Spec: states.Spec{Args: []states.Arg{
				name,
				{Name: "sfun"},
				{Name: "sig"},
				{Name: "reload", Default: false},
				{Name: "full_restart", Default: false},
				{Name: "init_delay"},
				{Name: "force", Default: false},
			}, VarKw: true},
			Doc: `
What a service does when something that it watches has changed: it is restarted,
with reload=True it reads its configuration again (with force=True, or is
restarted if it cannot), a stopped one is started, and one that is to be dead is
stopped. full_restart restarts it.
`,
		},
	)
}

// systemdOnly are the arguments of a state that a function of service takes. Formulas give
// them on every host; where systemd does not run they say nothing, as in Salt.
func (c *Call) systemdOnly(names ...string) *value.Map {
	out := value.NewMap()
	if !modules.HasSystemd(c.Env) {
		return out
	}
	for _, name := range names {
		if v, ok := c.Kwargs.Get(name); ok {
			out.Set(name, v)
		}
	}
	return out
}

// serviceStatus tells whether the service runs.
func (c *Call) serviceStatus(ctx context.Context) (bool, error) {
	return c.truthOf(ctx, "service.status", c.Name(), c.Value("sig"))
}

// serviceThere tells whether there is such a service; if not, the result says so.
func (c *Call) serviceThere(ctx context.Context, r *states.Result) (bool, error) {
	ok, err := c.truthOf(ctx, "service.available", c.Name())
	if text, failed := work(err); failed {
		_, _ = says(r, false, "%s", text)
		return false, nil
	}
	if err == nil && !ok {
		_, _ = says(r, false, "The named service %s is not available", c.Name())
	}
	return ok, err
}

func serviceRunning(ctx context.Context, c *Call) (*states.Result, error) {
	return c.serviceRun(ctx, true)
}

func serviceDead(ctx context.Context, c *Call) (*states.Result, error) {
	return c.serviceRun(ctx, false)
}

// serviceRun brings a service into the state that is wanted.
func (c *Call) serviceRun(ctx context.Context, want bool) (*states.Result, error) {
	name, r := c.Name(), outcome(c)
	if c.Kwargs.Has("enabled") {
		return says(r, false, "Service %s uses non-existent option \"enabled\".  Perhaps \"enable\" option was intended?", name)
	}
	enable, told := c.condition("enable")
	if ok, err := c.serviceThere(ctx, r); err != nil || !ok {
		switch {
		case c.Test:
			would := map[bool]string{true: "started", false: "stopped"}[want]
			r.Result, r.Comment = nil, "Service "+name+" not present; if created in this state run, it would have been "+would
		case !want:
			r.Result = true // what is not there does not run
		}
		return r, err
	}
	up, err := c.serviceStatus(ctx)
	if err != nil {
		return nil, err
	}
	on, err := c.truthOf(ctx, "service.enabled", name)
	if err != nil {
		return nil, err
	}
	unmasked, err := c.unmask(ctx, want)
	if err != nil {
		return nil, err
	}
	if up == want {
		r.Comment = "The service " + name + " is already " + map[bool]string{true: "running", false: "dead"}[want] + unmasked
		if told && enable != on {
			return c.toggle(ctx, r, enable, nil, true)
		}
		return r, nil
	}
	if c.Test {
		return says(r, nil, "Service %s is set to %s%s", name, map[bool]string{true: "start", false: "be killed"}[want], unmasked)
	}
	failed := map[bool]string{true: "Service " + name + " failed to start", false: "Service " + name + " failed to die"}[want]
	done, err := c.serviceAct(ctx, want)
	if text, failed := work(err); failed && want {
		return says(r, false, "%s", text)
	}
	if err != nil {
		return nil, err
	}
	if !done {
		r.Result, r.Comment = false, failed
		if told {
			return c.toggle(ctx, r, enable, !want, false)
		}
		return r, nil
	}
	delay, err := c.serviceDelay(ctx)
	if err != nil {
		return nil, err
	}
	now, err := c.serviceStatus(ctx)
	if err != nil {
		return nil, err
	}
	nowOn, err := c.truthOf(ctx, "service.enabled", name)
	if err != nil {
		return nil, err
	}
	if now != up || nowOn != on {
		r.Changes.Set(name, now)
	}
	r.Result, r.Comment = now == want, failed
	if now == want {
		r.Comment = map[bool]string{true: "Started service " + name, false: "Service " + name + " was killed"}[want]
	}
	if told {
		if r, err = c.toggle(ctx, r, enable, now, now == want); err != nil {
			return nil, err
		}
	}
	if delay != "" && want {
		r.Comment += "\nDelayed return for " + delay + " seconds"
	}
	r.Comment += unmasked
	return r, nil
}

// serviceAct starts or stops the service.
func (c *Call) serviceAct(ctx context.Context, start bool) (bool, error) {
	fun, args := "service.stop", []string{"no_block"}
	if start {
		fun, args = "service.start", []string{"no_block", "unmask", "unmask_runtime"}
	}
	v, err := c.Module(ctx, fun, []any{c.Name()}, c.systemdOnly(args...))
	return pyfmt.Truth(v), err
}

// serviceDelay waits init_delay seconds; "" is none.
func (c *Call) serviceDelay(ctx context.Context) (string, error) {
	var d time.Duration
	switch v := c.Value("init_delay").(type) {
	case nil:
		return "", nil
	case int64:
		d = time.Duration(v) * time.Second
	case float64:
		d = time.Duration(v * float64(time.Second))
	}
	return modules.PyStr(c.Value("init_delay")), timing.Sleep(ctx, d)
}

// toggle has a service started with the system, or not. up is whether it runs now,
// nil when nothing was done to it; verdict is what the state is without it.
func (c *Call) toggle(ctx context.Context, r *states.Result, enable bool, up any, verdict bool) (*states.Result, error) {
	name := c.Name()
	word, tail := map[bool]string{true: "enabled", false: "disabled"}[enable], ", and is dead"
	switch up {
	case true:
		tail = ", and is running"
	case nil:
		tail = ", and is in the desired state"
	}
	is, err := c.truthOf(ctx, "service."+word, name)
	if err != nil {
		return nil, err
	}
	if is {
		if up == nil {
			r.Changes = value.NewMap()
		}
		already := " is already " + word
		return says(r, verdict, "Service %s%s%s", name, already, tail)
	}
	if c.Test {
		return says(r, nil, "Service %s set to be %s", name, word)
	}
	kwargs := c.systemdOnly("no_block", "unmask", "unmask_runtime")
	v, err := c.Module(ctx, "service."+word[:len(word)-1], []any{name}, kwargs)
	fault, failed := work(err)
	if err != nil && !failed {
		return nil, err
	}
	if err == nil && pyfmt.Truth(v) {
		now, err := c.truthOf(ctx, "service."+word, name)
		r.Changes = value.NewMap()
		if now {
			r.Changes.Set(name, true)
		}
		r.Result, r.Comment = verdict, "Service "+name+" has been "+word+tail
		return r, err
	}
	how := "to start at boot"
	if !enable {
		how = "to not start at boot"
	}
	rest := ", and the service is dead"
	switch {
	case up == true && enable:
		rest = ", but the service is running"
	case up == true:
		rest = ", and is running"
	case up == nil:
		rest = ", but the service was already running"
	}
	r.Result, r.Comment = false, "Failed when setting service "+name+" "+how+rest
	if fault != "" {
		r.Comment += ". Additional information follows:\n\n" + fault
	}
	return r, nil
}

func serviceToggle(enable bool) func(context.Context, *Call) (*states.Result, error) {
	return func(ctx context.Context, c *Call) (*states.Result, error) {
		r := outcome(c)
		if ok, err := c.serviceThere(ctx, r); err != nil || !ok {
			switch {
			case !enable:
				r.Result = true
			case c.Test:
				r.Result, r.Comment = nil, "Service "+c.Name()+" not present; if created in this state run, it would have been enabled"
			}
			return r, err
		}
		return c.toggle(ctx, r, enable, nil, true)
	}
}

func serviceWatch(ctx context.Context, c *Call) (*states.Result, error) {
	r := outcome(c)
	up, err := c.serviceStatus(ctx)
	if err != nil {
		return nil, err
	}
	fun, verb, past := "restart", "restart", ""
	switch sfun := c.Str("sfun"); {
	case sfun == "dead" && !up:
		return says(r, true, "Service is already stopped")
	case sfun == "dead":
		fun, verb, past = "stop", "stop", "stopped"
	case sfun != "running":
		return says(r, false, "Unable to trigger watch for service.%s", sfun)
	case !up:
		fun, verb = "start", "start"
	case c.Truth("reload") && c.Truth("force"):
		fun, verb = "force_reload", "forcefully reload"
	case c.Truth("reload"):
		fun, verb = "reload", "reload"
	}
	if past == "" {
		past = verb + "ed"
	}
	if c.Test {
		return says(r, nil, "Service is set to be %s", past)
	}
	if fun == "start" {
		// What is left of it goes first.
		if _, err := c.Module(ctx, "service.stop", []any{c.Name()}, nil); err != nil {
			return nil, err
		}
	}
	v, err := c.Module(ctx, "service."+fun, []any{c.Name()}, c.systemdOnly("no_block", "unmask", "unmask_runtime"))
	if text, failed := work(err); failed {
		return says(r, false, "%s", text)
	}
	if err != nil {
		return nil, err
	}
	if _, err := c.serviceDelay(ctx); err != nil {
		return nil, err
	}
	r.Changes.Set(c.Name(), v)
	if pyfmt.Truth(v) {
		return says(r, v, "Service %s", past)
	}
	return says(r, v, "Failed to %s the service", verb)
}
