package modules

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// serviceManager manages the services of a host.
type serviceManager interface {
	// Do performs an action: start, stop, restart, reload, enable, disable, mask, ….
	Do(ctx context.Context, c *Call, action, name string) (bool, error)
	// Running and Enabled check one service. They return false for an unknown one.
	Running(ctx context.Context, c *Call, name string) (bool, error)
	Enabled(ctx context.Context, c *Call, name string) (bool, error)
	// Available reports whether a service exists.
	Available(ctx context.Context, c *Call, name string) (bool, error)
	// List returns service names, sorted: all, or the enabled, disabled, static or running
	// ones.
	List(ctx context.Context, c *Call, which string) ([]string, error)
}

// HasSystemd reports whether systemd manages the services of this host.
func HasSystemd(env Env) bool {
	return env.Grains().String("init") == "systemd" && which("systemctl") != ""
}

func init() {
	name := Arg{Name: "name", Required: true}
	block := Arg{Name: "no_block", Default: false}
	unmask := []Arg{{Name: "unmask", Default: false}, {Name: "unmask_runtime", Default: false}}
	const about = `
With systemd, no_block=True does not wait for the result; unmask=True and
unmask_runtime=True first remove a mask, permanently or until the next boot. On
hosts without systemd a call that sets one fails.
`
	for _, a := range []struct {
		action, what string
		unmask       bool
	}{
		{"start", "Start", true},
		{"stop", "Stop", false},
		{"restart", "Restart", true},
		{"reload", "Reload the configuration of a service:", true},
		{"force_reload", "Reload, or restart if it cannot,", true},
	} {
		args := []Arg{name, block}
		if a.action == "force_reload" {
			args[1].Default = true
		}
		args = append(args, unmask...)
		Register("service", Function{Name: a.action, Args: args, Run: serviceDo(a.action), Doc: `
` + a.what + ` the service name. Returns whether that went well.
` + about + `
CLI Example:

    salt '*' service.` + a.action + ` nginx
`})
	}
	for _, a := range []string{"enable", "disable"} {
		Register("service", Function{Name: a, Args: append([]Arg{name, block}, append(unmask, rootArg)...), VarKw: true, Run: serviceDo(a), Doc: `
Make the service name one that is ` + a + `d at the start of the system. Returns
whether that went well. root is the folder of another system, with systemd.
` + about + `
CLI Example:

    salt '*' service.` + a + ` nginx
`})
	}
	for _, a := range []struct{ action, what string }{{"mask", "Mask"}, {"unmask", "Take away the mask of"}} {
		Register("service", Function{Name: a.action, Args: []Arg{name, {Name: "runtime", Default: false}, rootArg}, Run: serviceMask(a.action), Doc: `
` + a.what + ` the service name; runtime=True is for until the next start of the
system alone. root is the folder of another system. With systemd only.

CLI Example:

    salt '*' service.` + a.action + ` nginx
`})
	}
	Register("service",
		Function{Name: "masked", Args: []Arg{name, {Name: "runtime", Default: false}, rootArg}, Run: serviceMasked, Doc: `
Return whether the service name is masked; with runtime=True, until the next
boot. root is the folder of another system. With systemd only.

CLI Example:

    salt '*' service.masked nginx
`},
		Function{Name: "status", Args: []Arg{name, {Name: "sig"}}, Run: serviceStatus, Doc: `
Return whether the service name runs; of a glob, for each that matches. With
sig, whether a process runs whose command line contains it; on hosts with
systemd sig is ignored.

CLI Example:

    salt '*' service.status nginx
`},
		Function{Name: "enabled", Args: []Arg{name, rootArg}, VarKw: true, Run: serviceEnabled(true), Doc: `
Return whether the service name is enabled. root is the folder of another
system, with systemd.

CLI Example:

    salt '*' service.enabled nginx
`},
		Function{Name: "disabled", Args: []Arg{name, rootArg}, VarKw: true, Run: serviceEnabled(false), Doc: `
Return whether the service name is not enabled. root is the folder of another
system, with systemd.

CLI Example:

    salt '*' service.disabled nginx
`},
		Function{Name: "available", Args: []Arg{name}, Run: serviceAvailable(true), Doc: `
Return whether the service name exists.

CLI Example:

    salt '*' service.available sshd
`},
		Function{Name: "missing", Args: []Arg{name}, Run: serviceAvailable(false), Doc: `
Return whether the service name does not exist.

CLI Example:

    salt '*' service.missing sshd
`},
		Function{Name: "show", Args: []Arg{name, rootArg}, Run: serviceShow, Doc: `
Return the properties of the service name. root is the folder of another system.
With systemd only.

CLI Example:

    salt '*' service.show nginx
`},
		Function{Name: "systemctl_reload", Run: serviceDaemonReload, Doc: `
Make systemd read its unit files again.

CLI Example:

    salt '*' service.systemctl_reload
`},
	)
	for _, l := range []struct{ fun, which, what string }{
		{"get_all", "all", "all services"},
		{"get_enabled", "enabled", "the services that are started with the system"},
		{"get_disabled", "disabled", "the services that are not started with the system"},
		{"get_static", "static", "the services that others start (with systemd only)"},
		{"get_running", "running", "the services that run"},
	} {
		fn := Function{Name: l.fun, Args: []Arg{rootArg}, Run: serviceList(l.which), Doc: `
List ` + l.what + `. root is the folder of another system, with systemd.

CLI Example:

    salt '*' service.` + l.fun + `
`}
		if l.which == "running" {
			fn.Args = nil
		}
		Register("service", fn)
	}
}

// manager returns the manager. It returns an error for a name that its program would parse
// as an option.
func (c *Call) manager() (serviceManager, error) {
	m, err := managerOf(c)
	if err == nil && c.Value("name") != nil {
		err = plainArg("the name of a service", c.Str("name"))
	}
	if err != nil {
		return nil, err
	}
	if _, ok := m.(systemd); !ok {
		for _, arg := range []string{"root", "unmask", "unmask_runtime"} {
			if v := c.Value(arg); v != nil && v != false && v != "" {
				return nil, InvocationErrorf("%s=%s needs a host with systemd", arg, PyStr(v))
			}
		}
		if c.IsTrue("no_block") && c.Fun != "service.force_reload" {
			return nil, InvocationErrorf("no_block=True needs a host with systemd")
		}
	}
	return m, nil
}

func serviceDo(action string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		m, err := c.manager()
		if err != nil {
			return nil, err
		}
		return m.Do(ctx, c, action, c.Str("name"))
	}
}

func serviceStatus(ctx context.Context, c *Call) (any, error) {
	m, err := c.manager()
	if err != nil {
		return nil, err
	}
	name := c.Str("name")
	if _, knows := m.(systemd); given(c.Value("sig")) && !knows {
		procs, err := c.sub(ctx, "status.pid", []any{c.Str("sig")}, nil)
		return err == nil && PyStr(procs) != "", err
	}
	if !strings.ContainsAny(name, "*?[") {
		return m.Running(ctx, c, name)
	}
	all, err := m.List(ctx, c, "all")
	if err != nil {
		return nil, err
	}
	out := value.NewMap()
	for _, s := range all {
		if !target.Glob(name, s) {
			continue
		}
		up, err := m.Running(ctx, c, s)
		if err != nil {
			return nil, err
		}
		out.Set(s, up)
	}
	return out, nil
}

func serviceEnabled(want bool) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		m, err := c.manager()
		if err != nil {
			return nil, err
		}
		is, err := m.Enabled(ctx, c, c.Str("name"))
		return is == want, err
	}
}

func serviceAvailable(want bool) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		m, err := c.manager()
		if err != nil {
			return nil, err
		}
		is, err := m.Available(ctx, c, c.Str("name"))
		return is == want, err
	}
}

func serviceList(which string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		m, err := c.manager()
		if err != nil {
			return nil, err
		}
		names, err := m.List(ctx, c, which)
		slices.Sort(names)
		return wire.AnyList(slices.Compact(names)), err
	}
}

// initScripts returns the scripts of a folder such as /etc/init.d.
func initScripts(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if executable(filepath.Join(dir, e.Name())) {
			out = append(out, e.Name())
		}
	}
	return out
}
