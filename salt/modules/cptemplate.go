package modules

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/value"
)

func init() {
	Register("cp", Function{
		Name: "get_template", VarKw: true, Run: cpGetTemplate,
		Args: []Arg{
			{Name: "path", Required: true},
			{Name: "dest", Required: true},
			{Name: "template", Default: "jinja"},
			{Name: "saltenv"},
			{Name: "makedirs", Default: false},
		},
		Doc: `
Render a file of the master as a template and write the result to dest, a file
or a folder. Returns its path, or "" if the master has no such file, the folder
of dest does not exist (makedirs=True creates it), or the template fails; the
log has the reason. Further keywords are variables of the template. template is
jinja.

A path is salt://PATH, also with ?saltenv=ENV. Otherwise saltenv is the
environment, by default that of the option saltenv, or base.

CLI Example:

    salt '*' cp.get_template salt://path/to/template /minion/dest
`,
	})
}

func cpGetTemplate(ctx context.Context, c *Call) (any, error) {
	source, dest, saltenv := c.Str("path"), c.Str("dest"), saltenvOf(c)
	if dest == "" {
		return nil, argErrorf("dest is empty; name a file")
	}
	if c.Value("template") != "jinja" || RenderText == nil {
		logger(c.Env).Error("template not rendered: unavailable engine", "path", source, "engine", PyStr(c.Value("template")))
		return "", nil
	}
	data, err := c.Env.Files().Read(ctx, source, fileclient.Want{Saltenv: saltenv})
	switch {
	case absentFile(err):
		return "", nil
	case err != nil:
		return nil, fileError(err)
	}
	vars := value.NewMap()
	c.Kwargs.Range(func(k, v any) bool {
		if name, ok := k.(string); ok && !strings.HasPrefix(name, "__pub_") {
			vars.Set(name, v)
		}
		return true
	})
	t := Text{Source: string(data), Saltenv: saltenv, Vars: vars}
	if fileclient.IsURL(source) {
		path, env := fileclient.Split(source)
		t.Path = path
		if env != "" {
			t.Saltenv = env
		}
	}
	text, err := RenderText(ctx, c.Env, c.JID, t)
	if err != nil {
		logger(c.Env).Error("template not rendered", "path", source, "err", err)
		return "", nil
	}
	if st, err := os.Stat(dest); err == nil && st.IsDir() {
		path, _ := fileclient.Split(source)
		dest = filepath.Join(dest, filepath.Base(path))
	}
	err = c.Env.Files().Put(dest, []byte(text), c.IsTrue("makedirs"))
	if errors.Is(err, fileclient.ErrNoFolder) {
		return "", nil
	}
	return dest, fileError(err)
}
