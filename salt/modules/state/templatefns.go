package state

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/salt/states/functions"
	"github.com/momtree/mom/value"
)

func init() {
	modules.RenderText = renderText
	arg := func(name string, def any) modules.Arg { return modules.Arg{Name: name, Default: def} }
	need := func(names ...string) (out []modules.Arg) {
		for _, n := range names {
			out = append(out, modules.Arg{Name: n, Required: true})
		}
		return out
	}
	saltenv := arg("saltenv", "base")
	merging := []modules.Arg{arg("strategy", "smart"), arg("renderer", "yaml"), arg("merge_lists", false)}
	for _, f := range []struct {
		module, name string
		args         []modules.Arg
		varKw        bool
		doc, example string
	}{
		{
			"slsutil", "update", append(need("dest", "upd"), arg("recursive_update", true), arg("merge_lists", false)), false,
			"Merge the map upd into the map dest, in depth unless recursive_update is False. merge_lists=True joins lists.", "update '{foo: Foo}' '{bar: Bar}'",
		},
		{
			"slsutil", "merge", append(need("obj_a", "obj_b"), merging...), false,
			"Return obj_a with obj_b merged into it. strategy is smart, recurse, aggregate, overwrite, list or none;\nsmart is aggregate for the renderer yamlex and recurse for others.", "merge '{foo: Foo}' '{bar: Bar}'",
		},
		{
			"slsutil", "merge_all", append(need("lst"), merging...), false,
			"Merge the maps of the list lst in their order; the other arguments are those of slsutil.merge.", "merge_all '[{foo: Foo}, {foo: Bar}]'",
		},
		{
			"slsutil", "renderer",
			[]modules.Arg{arg("path", nil), arg("string", nil), arg("default_renderer", render.DefaultPipe)},
			true,
			"Render a file, path, or a text, string, by the pipe of its first line or default_renderer. path is absolute,\nor an address that cp.get_url takes. Further keywords are variables of the template.", "renderer salt://path/to/file",
		},
		{
			"slsutil", "serialize", need("serializer", "obj"), true,
			"Return obj as a text. serializer is json, yaml, python, configparser or keyvalue; keywords are its options.", "serialize json obj=\"{'foo': 'Foo!'}\"",
		},
		{
			"slsutil", "deserialize", need("serializer", "stream_or_string"), true,
			"Return the value of a text. serializer is json, yaml, configparser or keyvalue; keywords are its options.", "deserialize json '{\"foo\": \"Foo!\"}'",
		},
		{
			"slsutil", "banner",
			[]modules.Arg{arg("width", int64(72)), arg("commentchar", "#"), arg("borderchar", "#"), arg("blockstart", nil), arg("blockend", nil), arg("title", nil), arg("text", nil), arg("newline", false)},
			false,
			"Return a comment block that says who manages a file. title and text are its text, width is its width\nin characters; blockstart and blockend are lines before and after it, newline=True ends it with a line end.", "banner width=60",
		},
		{
			"slsutil", "boolstr", append(need("value"), arg("true", "true"), arg("false", "false")), false,
			"Return the argument true where value is true, else the argument false.", "boolstr True yes no",
		},
		{"slsutil", "file_exists", append(need("path"), saltenv), false, "Report whether path is a file of the environment saltenv.", "file_exists nginx/defaults.yaml"},
		{"slsutil", "dir_exists", append(need("path"), saltenv), false, "Report whether path is a folder of the environment saltenv.", "dir_exists nginx/files"},
		{"slsutil", "path_exists", append(need("path"), saltenv), false, "Report whether path is a file or folder of the environment saltenv.", "path_exists nginx/defaults.yaml"},
		{
			"slsutil", "findup", append(need("startpath", "filenames"), saltenv), false,
			"Return the first of filenames, a name or a list, in the folder startpath of the environment or in one above.", "findup formulas/shared/nginx map.jinja",
		},
		{
			"defaults", "get", append(need("key"), arg("default", "")), false,
			"Return a value of the file defaults.yaml or defaults.json of a formula: key is formula:a:b.", "get core:users:root",
		},
		{
			"defaults", "merge", append(need("dest", "src"), arg("merge_lists", false), arg("in_place", true), arg("convert_none", true)), false,
			"Merge the map src into the map dest, in depth. in_place=False merges into a copy; convert_none=True takes None\nfor an empty map.", "merge '{a: b}' '{d: e}'",
		},
		{"defaults", "deepcopy", need("source"), false, "Return a copy of source in depth.", "deepcopy '{a: {b: c}}'"},
		{
			"defaults", "update", append(need("dest", "defaults"), arg("merge_lists", true), arg("in_place", true), arg("convert_none", true)), false,
			"Return the map of maps dest, each merged over the map defaults.", "update '{host1: {a: 1}}' '{b: 2}'",
		},
		{"jinja", "load_map", need("path", "value"), false, "Return the variable value of the Jinja file path.", "load_map myformula/map.jinja myformula"},
		{"jinja", "import_yaml", need("path"), false, "Return the content of the YAML file path, rendered with Jinja.", "import_yaml myformula/foo.yaml"},
		{"jinja", "import_json", need("path"), false, "Return the content of the JSON file path, rendered with Jinja.", "import_json myformula/foo.json"},
		{
			"pillar", "filter_by", append(need("lookup_dict", "pillar"), arg("merge", nil), arg("default", "default"), arg("base", nil)), false,
			"Return the value of the first key of the map lookup_dict, a glob, that the pillar value of that key matches, else\nthat of the key default. merge is merged into it, and the value of the key base lies under it.", "filter_by '{web: Serve it up, default: x_x}' role",
		},
	} {
		full := f.module + "." + f.name
		modules.Register(f.module, modules.Function{
			Name: f.name, Args: f.args, VarKw: f.varKw, Run: pureFunction(full),
			Doc: fmt.Sprintf("\n%s\n\nCLI Example:\n\n    salt '*' %s.%s\n", f.doc, f.module, f.example),
		})
	}
}

// pureFunction returns a function that calls a built-in function of templates.
func pureFunction(name string) func(context.Context, *modules.Call) (any, error) {
	return func(ctx context.Context, c *modules.Call) (any, error) {
		r, err := rendererOf(c.Env, c.JID)
		if err != nil {
			return nil, err
		}
		ctx, done := r.bounded(ctx)
		defer done()
		kwargs := value.NewMap()
		c.Kwargs.Range(func(k, v any) bool {
			if name, ok := k.(string); ok && !strings.HasPrefix(name, "__pub_") {
				kwargs.Set(name, v)
			}
			return true
		})
		v, err := r.engine.Call(ctx, render.Template{Vars: r.vars()}, name, c.Args, kwargs)
		var refused *render.Refused
		if errors.As(err, &refused) {
			return nil, &modules.CommandError{Msg: refused.Text}
		}
		return v, err
	}
}

// rendererOf returns a renderer with the minion's own options.
func rendererOf(env modules.Env, jid string) (renderer, error) {
	engine, err := newEngine(env, settings{env: env}, jid)
	return renderer{engine, env, render.DefaultPipe, time.Duration(whole(env.Option("render_timeout"))) * time.Second}, err
}

// newEngine returns the engine of a run.
func newEngine(env modules.Env, set settings, jid string) (*render.Engine, error) {
	files := env.Files()
	return render.New(render.Options{
		Loader: tree{files}, Functions: moduleCalls{env, jid}, AllowUndefined: pyfmt.Truth(env.Option("allow_undefined")),
		Env: asMap(set.Option("jinja_env")), SLSEnv: asMap(set.Option("jinja_sls_env")),
		HTTP:        render.NewHTTPClient(),
		ReadImports: true,
		Read: func(ctx context.Context, saltenv, url string, limit int) ([]byte, error) {
			return readSource(ctx, moduleCalls{env, jid}, saltenv, url, limit)
		},
		Limits: render.Limits{Memory: int(whole(env.Option("render_max_bytes")))},
	})
}

// tree lists the files of an environment for templates.
type tree struct{ *fileclient.Client }

var _ render.Tree = tree{}

func (t tree) Files(ctx context.Context, saltenv string) ([]string, error) {
	return t.List(ctx, fileclient.Files, saltenv, "")
}

func (t tree) Folders(ctx context.Context, saltenv string) ([]string, error) {
	return t.List(ctx, fileclient.Folders, saltenv, "")
}

// readSource reads the file of slsutil.renderer. As in Salt, a missing file is empty.
func readSource(ctx context.Context, f moduleCalls, saltenv, url string, limit int) ([]byte, error) {
	v, err := f.Call(ctx, "cp.get_url", []any{url}, value.NewMap("saltenv", saltenv))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	path, ok := v.(string)
	if !ok || path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if data == nil {
		data = []byte{}
	}
	if err == nil && len(data) > limit {
		err = fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	return data, err
}

// renderText renders a template of a function, such as its argument with template=jinja.
func renderText(ctx context.Context, env modules.Env, jid string, t modules.Text) (string, error) {
	r, err := rendererOf(env, jid)
	if err != nil {
		return "", err
	}
	return r.Text(ctx, functions.Template{Source: []byte(t.Source), Saltenv: t.Saltenv, Path: t.Path, Vars: t.Vars})
}
