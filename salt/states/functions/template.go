package functions

import (
	"context"
	"fmt"
	"os/user"
	"strconv"

	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/value"
)

// TemplateError means that a template format is not supported.
type TemplateError struct{ Format string }

func (e *TemplateError) Error() string {
	return fmt.Sprintf("Specified template format %s is not supported", e.Format)
}

// rendered renders the source of a file with the template format of the state, its context
// and its defaults.
func (c *Call) rendered(ctx context.Context, data []byte, source string, vars *value.Map) ([]byte, error) {
	if format := pystr(c.Value("template")); format != "jinja" {
		return nil, &TemplateError{format}
	}
	t := Template{Source: data, Saltenv: c.Saltenv, Vars: vars}
	if fileclient.IsURL(source) {
		path, env := fileclient.Split(source)
		t.Path = path
		if env != "" {
			t.Saltenv = env
		}
	}
	vars.Set("source", source)
	vars.Set("saltenv", t.Saltenv)
	t.Context, _ = c.Value("context").(*value.Map)
	t.Defaults, _ = c.Value("defaults").(*value.Map)
	out, err := c.Text.Text(ctx, t)
	return []byte(out), err
}

// ownerOf returns the uid and gid of a user, given by name or number.
func ownerOf(name string) (uid, gid int, err error) {
	u, err := user.Lookup(name)
	if err != nil {
		if u, err = user.LookupId(name); err != nil {
			return 0, 0, err
		}
	}
	if uid, err = strconv.Atoi(u.Uid); err != nil {
		return 0, 0, err
	}
	gid, err = strconv.Atoi(u.Gid)
	return uid, gid, err
}
