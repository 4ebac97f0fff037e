package modules

import (
	"context"
	"slices"
	"strings"
)

// openrc manages services with rc-service, rc-update and rc-status.
type openrc struct{}

func (openrc) Do(ctx context.Context, c *Call, action, name string) (bool, error) {
	var r ran
	var err error
	switch action {
	case "enable", "disable":
		words := []string{"rc-update", map[string]string{"enable": "add", "disable": "delete"}[action], name}
		words = append(words, textList(c.keyword("runlevels"))...)
		r, err = c.exec(ctx, words...)
	case "start", "stop", "restart", "reload":
		r, err = c.exec(ctx, "rc-service", name, action)
	default:
		return false, CommandErrorf("%s is not supported on hosts with OpenRC", c.Fun)
	}
	return r.retcode == 0, err
}

func (openrc) Running(ctx context.Context, c *Call, name string) (bool, error) {
	r, err := c.exec(ctx, "rc-service", name, "status")
	return r.retcode == 0, err
}

func (o openrc) Enabled(ctx context.Context, c *Call, name string) (bool, error) {
	levels, err := o.levels(ctx, c)
	return len(levels[name]) > 0, err
}

func (o openrc) Available(ctx context.Context, c *Call, name string) (bool, error) {
	all, err := o.List(ctx, c, "all")
	return slices.Contains(all, name), err
}

// levels returns all services with the runlevels that start them.
func (openrc) levels(ctx context.Context, c *Call) (map[string][]string, error) {
	r, err := c.exec(ctx, "rc-update", "-v", "show")
	out := map[string][]string{}
	for line := range strings.Lines(r.stdout) {
		if name, levels, ok := strings.Cut(line, "|"); ok {
			out[strings.TrimSpace(name)] = strings.Fields(levels)
		}
	}
	return out, err
}

func (o openrc) List(ctx context.Context, c *Call, which string) ([]string, error) {
	if which == "running" {
		r, err := c.exec(ctx, "rc-status", "--servicelist")
		var out []string
		for line := range strings.Lines(r.stdout) {
			if f := strings.Fields(line); len(f) > 2 && strings.Contains(line, "started") {
				out = append(out, f[0])
			}
		}
		return out, err
	}
	levels, err := o.levels(ctx, c)
	if err != nil {
		return nil, err
	}
	var out []string
	for name, of := range levels {
		switch {
		case which == "all", which == "enabled" && len(of) > 0, which == "disabled" && len(of) == 0:
			out = append(out, name)
		}
	}
	slices.Sort(out)
	if which == "static" {
		err = CommandErrorf("%s is not supported on hosts with OpenRC", c.Fun)
	}
	return out, err
}
