package modules

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// sysv manages services with their init scripts.
type sysv struct{}

func (sysv) Do(ctx context.Context, c *Call, action, name string) (bool, error) {
	var words []string
	switch action {
	case "enable", "disable":
		switch {
		case which("update-rc.d") != "":
			// defaults keeps existing links; enable and disable rename them. Links must not
			// be removed, or the next upgrade of the package creates them again.
			if action == "enable" {
				if r, err := c.exec(ctx, "update-rc.d", name, "defaults"); err != nil || r.retcode != 0 {
					return false, err
				}
			}
			words = []string{"update-rc.d", name, action}
		case which("chkconfig") != "":
			words = []string{"chkconfig", name, map[string]string{"enable": "on", "disable": "off"}[action]}
		default:
			return false, CommandErrorf("Unable to find sysv service manager (tried update-rc.d, chkconfig)")
		}
	default:
		words = []string{"service", name, strings.ReplaceAll(action, "_", "-")}
	}
	r, err := c.exec(ctx, words...)
	return r.retcode == 0, err
}

func (sysv) Running(ctx context.Context, c *Call, name string) (bool, error) {
	r, err := c.exec(ctx, "service", name, "status")
	return r.retcode == 0, err
}

// Enabled looks for a link that starts the script in the current runlevel, or before any.
func (sysv) Enabled(ctx context.Context, c *Call, name string) (bool, error) {
	level := "2"
	if which("runlevel") != "" {
		r, err := c.exec(ctx, "runlevel")
		if err != nil {
			return false, err
		}
		if f := strings.Fields(r.stdout); len(f) == 2 {
			level = f[1]
		}
	}
	links, err := filepath.Glob(filepath.Join("/", c.Str("root"), "etc", "rc[S"+level+"].d", "S*"))
	exact := regexp.MustCompile(`^S\d{0,2}` + regexp.QuoteMeta(name) + `$`)
	return slices.ContainsFunc(links, func(l string) bool { return exact.MatchString(filepath.Base(l)) }), err
}

func (s sysv) Available(ctx context.Context, c *Call, name string) (bool, error) {
	all, err := s.List(ctx, c, "all")
	return slices.Contains(all, name), err
}

func (s sysv) List(ctx context.Context, c *Call, which string) ([]string, error) {
	var out []string
	for _, name := range initScripts("/etc/init.d") {
		is, err := true, error(nil)
		switch which {
		case "enabled", "disabled":
			is, err = s.Enabled(ctx, c, name)
			is = is == (which == "enabled")
		case "running":
			is, err = s.Running(ctx, c, name)
		case "static":
			return nil, CommandErrorf("%s needs a host with systemd", c.Fun)
		}
		if err != nil {
			return nil, err
		}
		if is {
			out = append(out, name)
		}
	}
	return out, nil
}
