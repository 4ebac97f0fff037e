package modules

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/value"
)

func init() {
	name, path := Arg{Name: "name", Required: true}, Arg{Name: "path", Required: true}
	for _, f := range []struct {
		name          string
		args          []Arg
		run           func(context.Context, *Call) (any, error)
		what, example string
	}{
		{"show_current", []Arg{name}, alternativesCurrent, "Return the program that the alternative name stands for; False if the alternative does not exist.", "show_current editor"},
		{"check_installed", []Arg{name, path}, alternativesInstalled, "Report whether the alternative name stands for path.", "check_installed editor /usr/bin/vim.basic"},
		{"check_exists", []Arg{name, path}, alternativesExists, "Report whether path is a choice of the alternative name.", "check_exists editor /usr/bin/vim.basic"},
		{"show_link", []Arg{name}, alternativesLink, "Return the link that the alternative name manages, such as /usr/bin/editor; False if the alternative does not exist.", "show_link editor"},
		{"display", []Arg{name}, alternativesDisplay, "Return the output of update-alternatives for the alternative name.", "display editor"},
		{
			"install",
			[]Arg{name, {Name: "link", Required: true}, path, {Name: "priority", Required: true}},
			alternativesInstall,
			"Make path a choice of the alternative name, whose link is link, with a priority.", "install editor /usr/bin/editor /usr/bin/vim.basic 50",
		},
		{"remove", []Arg{name, path}, alternativesRemove, "Remove path from the choices of the alternative name.", "remove editor /usr/bin/vim.basic"},
		{"auto", []Arg{name}, alternativesAuto, "Let the priorities determine the alternative name.", "auto editor"},
		{"set", []Arg{name, path}, alternativesSet, "Choose path for the alternative name.", "set editor /usr/bin/vim.basic"},
	} {
		Register("alternatives", Function{Name: f.name, Args: f.args, Run: f.run, Doc: "\n" + f.what + "\n\nCLI Example:\n\n    salt '*' alternatives." + f.example + "\n"})
	}
}

// alternativesDir is the folder of the links to the choices.
const alternativesDir = "/etc/alternatives"

func alternativeLink(name string) (string, error) {
	return os.Readlink(filepath.Join(alternativesDir, filepath.Base(name)))
}

func alternativesCurrent(_ context.Context, c *Call) (any, error) {
	to, err := alternativeLink(c.Str("name"))
	if err != nil {
		return false, nil
	}
	return to, nil
}

func alternativesInstalled(_ context.Context, c *Call) (any, error) {
	to, err := alternativeLink(c.Str("name"))
	return err == nil && to == c.Str("path"), nil
}

// alternatives runs the program of the system.
func alternatives(ctx context.Context, c *Call, args ...any) (*value.Map, error) {
	program := "update-alternatives"
	if family, _ := c.Env.Grains().Get("os_family"); family == "RedHat" {
		program = "alternatives"
	}
	return c.runAll(ctx, append([]any{program}, args...))
}

func alternativesExists(ctx context.Context, c *Call) (any, error) {
	out, err := alternatives(ctx, c, "--display", c.Str("name"))
	if err != nil || out.Int("retcode") > 0 && out.String("stderr") != "" {
		return false, err
	}
	for line := range strings.Lines(out.String("stdout")) {
		if strings.HasPrefix(line, c.Str("path")) {
			return true, nil
		}
	}
	return false, nil
}

func alternativesLink(ctx context.Context, c *Call) (any, error) {
	switch family, _ := c.Env.Grains().Get("os_family"); family {
	case "RedHat":
		return alternativeFile("/var/lib/alternatives", c.Str("name")), nil
	case "Suse":
		return alternativeFile("/var/lib/rpm/alternatives", c.Str("name")), nil
	}
	out, err := alternatives(ctx, c, "--query", c.Str("name"))
	if err != nil || out.Int("retcode") > 0 && out.String("stderr") != "" {
		return false, err
	}
	head, _, _ := strings.Cut(out.String("stdout"), "\n\n")
	for line := range strings.Lines(head) {
		if link, ok := strings.CutPrefix(line, "Link:"); ok {
			return strings.TrimSpace(link), nil
		}
	}
	return false, nil
}

// alternativeFile returns the link in the second line of a state file.
func alternativeFile(dir, name string) any {
	data, err := os.ReadFile(filepath.Join(dir, filepath.Base(name)))
	if lines := strings.Split(string(data), "\n"); err == nil && len(lines) > 1 {
		return lines[1]
	}
	return false
}

func alternativesDisplay(ctx context.Context, c *Call) (any, error) {
	out, err := alternatives(ctx, c, "--display", c.Str("name"))
	return alternativesText(out, true), err
}

// alternativesText returns the program's output; an error only if it failed.
func alternativesText(out *value.Map, wantError bool) any {
	if out.Int("retcode") > 0 && (!wantError || out.String("stderr") != "") {
		return out.String("stderr")
	}
	return out.String("stdout")
}

func alternativesInstall(ctx context.Context, c *Call) (any, error) {
	out, err := alternatives(ctx, c, "--install", c.Str("link"), c.Str("name"), c.Str("path"), PyStr(c.Value("priority")))
	return alternativesText(out, true), err
}

func alternativesRemove(ctx context.Context, c *Call) (any, error) {
	out, err := alternatives(ctx, c, "--remove", c.Str("name"), c.Str("path"))
	return alternativesText(out, false), err
}

func alternativesAuto(ctx context.Context, c *Call) (any, error) {
	out, err := alternatives(ctx, c, "--auto", c.Str("name"))
	return alternativesText(out, false), err
}

func alternativesSet(ctx context.Context, c *Call) (any, error) {
	out, err := alternatives(ctx, c, "--set", c.Str("name"), c.Str("path"))
	return alternativesText(out, false), err
}
