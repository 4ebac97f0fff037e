package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
)

func init() {
	tem := []modules.Arg{{Name: "tem", Required: true}, queueArg}
	modules.Register("state",
		modules.Function{Name: "template", Args: tem, VarKw: true, Run: template, Doc: `
Run the states of an SLS file of this host (tem: its path, with or without .sls).
` + common + `
CLI Example:

    salt '*' state.template /srv/one.sls
`},
		modules.Function{Name: "template_str", Args: tem, VarKw: true, Run: templateStr, Doc: `
Run the states of a text (tem) that is an SLS file.
` + common + `
CLI Example:

    salt '*' state.template_str '{vim: {pkg: [installed]}}'
`},
	)
}

// templateJob prepares the run of a template text.
func templateJob(ctx context.Context, c *modules.Call) (j *job, done any, err error) {
	if conflict, err := begin(ctx, c, c.Value("queue")); conflict != nil || err != nil {
		return nil, given(conflict), err
	}
	j, problems, err := prepare(ctx, c, nil, "", "")
	if err != nil {
		return nil, nil, err
	}
	if problems != nil {
		return nil, pillarProblems(c, problems), nil
	}
	return j, nil, nil
}

func template(ctx context.Context, c *modules.Call) (any, error) {
	path := c.Str("tem")
	if !strings.HasSuffix(path, ".sls") {
		path += ".sls"
	}
	data, err := readTemplate(path)
	if errors.Is(err, fs.ErrNotExist) {
		c.Retcode = states.CompileError
		return []any{fmt.Sprintf("Specified SLS %s on local filesystem cannot be found.", path)}, nil
	}
	if err != nil {
		return nil, err
	}
	j, done, err := templateJob(ctx, c)
	if j == nil {
		return done, err
	}
	return j.end(j.run.File(ctx, path, data))
}

// readTemplate reads an SLS file of this host.
func readTemplate(path string) ([]byte, error) {
	st, err := os.Stat(filepath.Clean(path))
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, &modules.CommandError{Msg: fmt.Sprintf("the template %s is not a file", path)}
	case st.Size() > fileclient.MaxText:
		return nil, &modules.CommandError{Msg: fmt.Sprintf("the template %s has more than %d bytes", path, fileclient.MaxText)}
	}
	return os.ReadFile(path)
}

func templateStr(ctx context.Context, c *modules.Call) (any, error) {
	text, ok := c.Value("tem").(string)
	if !ok {
		return nil, &modules.ArgumentError{Msg: "tem is a text, not " + modules.PyRepr(c.Value("tem")) + ": quote it once more"}
	}
	j, done, err := templateJob(ctx, c)
	if j == nil {
		return done, err
	}
	return j.end(j.run.Text(ctx, text))
}
