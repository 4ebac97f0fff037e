package functions

import (
	"context"
	"strings"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	const about = `
name, path
    The name of the group, such as editor, and the path of one of its choices.
`
	Register("alternatives",
		Function{Name: "install", Run: alternativesInstall, Spec: states.Spec{Args: args([]string{"name", "link", "path", "priority"})}, Doc: `
Ensure that a program is one of the choices of a group.
` + about + `
link, priority
    The link of the group; the choice with the highest priority is used
    automatically.

    editor:
      alternatives.install:
        - link: /usr/bin/editor
        - path: /usr/bin/vim.basic
        - priority: 50
`},
		Function{Name: "remove", Run: alternativesRemove, Spec: states.Spec{Args: args([]string{"name", "path"})}, Doc: `
Ensure that a program is not one of the choices of a group.
` + about + `
    editor:
      alternatives.remove:
        - path: /usr/bin/vim.basic
`},
		Function{Name: "auto", Run: alternativesAuto, Spec: states.Spec{Args: args(onlyName)}, Doc: `
Ensure that a group uses the choice with the highest priority.

name
    The name of the group.

    editor:
      alternatives.auto: []
`},
		Function{Name: "set", Run: alternativesSet, Spec: states.Spec{Args: args([]string{"name", "path"})}, Doc: `
Ensure that a group uses a program.
` + about + `
    editor:
      alternatives.set:
        - path: /usr/bin/vim.basic
`},
	)
}

// choice returns the initial result of a state about a program. As in Salt, it includes the
// arguments.
func choice(c *Call, more ...string) *states.Result {
	r := outcome(c)
	r.Extra = value.NewMap()
	for _, name := range more {
		r.Extra.Set(name, c.Value(name))
	}
	return r
}

func alternativesInstall(ctx context.Context, c *Call) (*states.Result, error) {
	r, name, path, priority := choice(c, "link", "path", "priority"), c.Name(), c.Str("path"), pystr(c.Value("priority"))
	there, err := c.truthOf(ctx, "alternatives.check_exists", name, path)
	switch {
	case err != nil:
		return nil, err
	case there:
		return says(r, true, "Alternative %s for %s is already registered", path, name)
	case c.Test:
		return says(r, nil, "Alternative will be set for %s to %s with priority %s", name, path, priority)
	}
	out, err := c.Module(ctx, "alternatives.install", []any{name, c.Value("link"), path, c.Value("priority")}, nil)
	if err != nil {
		return nil, err
	}
	if there, err = c.truthOf(ctx, "alternatives.check_exists", name, path); err != nil {
		return nil, err
	}
	if !there {
		return says(r, false, "Alternative for %s not installed: %s", name, pystr(out))
	}
	r.Changes = value.NewMap("name", name, "link", c.Value("link"), "path", path, "priority", c.Value("priority"))
	chosen, err := c.truthOf(ctx, "alternatives.check_installed", name, path)
	if err != nil {
		return nil, err
	}
	if chosen {
		return says(r, true, "Alternative for %s set to path %s with priority %s", name, path, priority)
	}
	return says(r, true, "Alternative %s for %s registered with priority %s and not set to default", path, name, priority)
}

// chosenNow returns the current program of a group, "" if the group does not exist.
func chosenNow(ctx context.Context, c *Call) (string, error) {
	now, err := c.Module(ctx, "alternatives.show_current", []any{c.Name()}, nil)
	if now == false || err != nil {
		return "", err
	}
	return pystr(now), nil
}

func alternativesRemove(ctx context.Context, c *Call) (*states.Result, error) {
	r, name, path := choice(c, "path"), c.Name(), c.Str("path")
	there, err := c.truthOf(ctx, "alternatives.check_exists", name, path)
	if err != nil {
		return nil, err
	}
	if there && c.Test {
		return says(r, nil, "Alternative for %s will be removed", name)
	}
	if there {
		if _, err := c.Module(ctx, "alternatives.remove", []any{name, path}, nil); err != nil {
			return nil, err
		}
	}
	now, err := chosenNow(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case there && now != "":
		r.Changes.Set("path", now)
		return says(r, true, "Alternative for %s removed. Falling back to path %s", name, now)
	case there:
		return says(r, true, "Alternative for %s removed", name)
	case now != "":
		return says(r, true, "Alternative for %s is set to it's default path %s", name, now)
	}
	return says(r, false, "Alternative for %s doesn't exist", name)
}

func alternativesAuto(ctx context.Context, c *Call) (*states.Result, error) {
	r, name := outcome(c), c.Name()
	shown, err := c.Module(ctx, "alternatives.display", []any{name}, nil)
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(pystr(shown), "\n")
	if strings.HasSuffix(first, " auto mode") {
		return says(r, true, "%s already in auto mode", name)
	}
	if c.Test {
		return says(r, nil, "%s will be put in auto mode", name)
	}
	out, err := c.Module(ctx, "alternatives.auto", []any{name}, nil)
	r.Changes.Set("result", out)
	return r, err
}

func alternativesSet(ctx context.Context, c *Call) (*states.Result, error) {
	r, name, path := choice(c, "path"), c.Name(), c.Str("path")
	now, err := chosenNow(ctx, c)
	if err != nil {
		return nil, err
	}
	if now == path {
		return says(r, true, "Alternative for %s already set to %s", name, path)
	}
	shown, err := c.Module(ctx, "alternatives.display", []any{name}, nil)
	if err != nil {
		return nil, err
	}
	if !strings.Contains("\n"+pystr(shown), "\n"+path) {
		return says(r, false, "Alternative %s for %s doesn't exist", path, name)
	}
	if c.Test {
		return says(r, nil, "Alternative for %s will be set to path %s", name, path)
	}
	if _, err := c.Module(ctx, "alternatives.set", []any{name, path}, nil); err != nil {
		return nil, err
	}
	if now, err = chosenNow(ctx, c); err != nil {
		return nil, err
	}
	if now != path {
		return says(r, true, "Alternative for %s not updated", name)
	}
	r.Changes.Set("path", now)
	return says(r, true, "Alternative for %s set to path %s", name, now)
}
