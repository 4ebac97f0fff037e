package modules

import (
	"context"
	"runtime"
	"strings"
)

// runSystem runs a program that changes the host; tests replace it.
var runSystem = func(ctx context.Context, c *Call, words ...string) (ran, error) { return c.exec(ctx, words...) }

func init() {
	at := []Arg{{Name: "at_time"}}
	const when = `at_time is the number of minutes until then, or a time as shutdown(8) has it.`
	Register("system",
		Function{Name: "halt", Run: systemRun("halt"), Doc: `
Halt the host.

CLI Example:

    salt '*' system.halt
`},
		Function{Name: "poweroff", Run: systemRun("poweroff"), Doc: `
Turn the host off.

CLI Example:

    salt '*' system.poweroff
`},
		Function{Name: "init", Args: []Arg{{Name: "runlevel", Required: true}}, Run: systemInit, Doc: `
Change to another runlevel, on hosts with System V init.

CLI Example:

    salt '*' system.init 3
`},
		Function{Name: "reboot", Args: at, Run: systemShutdown("-r"), Doc: `
Reboot the host. ` + when + `

CLI Example:

    salt '*' system.reboot
`},
		Function{Name: "shutdown", Args: at, Run: systemShutdown(offFlag(runtime.GOOS)), Doc: `
Shut the host down. ` + when + `

CLI Example:

    salt '*' system.shutdown 5
`},
	)
}

// offFlag returns the option of shutdown that powers a host off.
func offFlag(goos string) string {
	if goos == "freebsd" || goos == "netbsd" || goos == "openbsd" {
		return "-p"
	}
	return "-h"
}

// said returns the output of a program, from either stream.
func said(r ran) string {
	return strings.TrimPrefix(strings.TrimRight(r.stdout+"\n"+r.stderr, "\n"), "\n")
}

// powered runs a program of the host and returns its output.
func (c *Call) powered(ctx context.Context, words ...string) (any, error) {
	r, err := runSystem(ctx, c, words...)
	if err != nil {
		return nil, err
	}
	c.Retcode = r.retcode
	return said(r), nil
}

func systemRun(program string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) { return c.powered(ctx, program) }
}

func systemInit(ctx context.Context, c *Call) (any, error) {
	level := PyStr(c.Value("runlevel"))
	if err := plainArg("runlevel", level); err != nil {
		return nil, err
	}
	return c.powered(ctx, "init", level)
}

func systemShutdown(flag string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		at := "now"
		if v := c.Value("at_time"); v != nil && v != "" && v != int64(0) && v != false {
			at = PyStr(v)
		}
		if err := plainArg("at_time", at); err != nil {
			return nil, err
		}
		return c.powered(ctx, "shutdown", flag, at)
	}
}
