package functions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("file", Function{
		Name: "recurse", Run: fileRecurse, Spec: states.Spec{VarKw: true, Args: args([]string{"name", "source"},
			"keep_source", true, "user", nil, "group", nil, "dir_mode", nil, "file_mode", nil, "template", nil, "context", nil,
			"replace", true, "defaults", nil, "include_empty", false, "backup", "", "clean", false, "require", nil, "include_pat", nil, "exclude_pat", nil, "maxdepth", nil,
			"keep_symlinks", false, "force_symlinks", false, "sym_mode", nil)}, Doc: `
Manages a folder with all files of a salt:// folder.

source
    The folder: salt://path, or a list of which the first existing one is used.
user, group, dir_mode, file_mode (also keep)
    Owners and modes.
template, context, defaults, replace, backup, keep_source
    As in file.managed.
include_empty, include_pat, exclude_pat, maxdepth
    Empty folders too; globs, or regular expressions after E@, of paths to
    include and exclude; the depth.

clean : False
    Removes paths that are not in the source, not kept by a required state and
    not excluded; replaces folders by files and files by folders.
keep_symlinks, force_symlinks, sym_mode
    Links of the source stay links instead of being followed; force and mode as
    in file.symlink.
`,
	})
}

// recursion is one run of file.recurse.
type recursion struct {
	*Call
	name     string
	res      *states.Result
	comments []string // path and comment, in order
	dirMode  string
	fileMode any
}

func fileRecurse(ctx context.Context, c *Call) (*states.Result, error) {
	r := &recursion{Call: c, name: expand(c.Name()), fileMode: c.Value("file_mode")}
	r.res = good(r.name, "")
	if c.Kwargs.Has("mode") {
		return bad(r.name, "'mode' is not allowed in 'file.recurse'. Please use 'file_mode' and 'dir_mode'."), nil
	}
	var err error
	if r.dirMode, err = modeOf(c.Value("dir_mode")); err != nil {
		return bad(r.name, "%s", err.Error()), nil
	}
	if msg := c.checkUser(c.Value("user"), c.Value("group")); msg != "" {
		return bad(r.name, "%s", msg), nil
	}
	if !filepath.IsAbs(r.name) {
		return bad(r.name, "Specified file %s is not an absolute path", r.name), nil
	}
	var list []any
	for _, s := range listArg(c.Value("source")) {
		one := strings.TrimRight(pystr(s), "/")
		if !fileclient.IsURL(one) {
			return bad(r.name, "Invalid source '%s' (must be a salt:// URI)", one), nil
		}
		list = append(list, one)
	}
	source, _, err := c.choose(ctx, list, "")
	if err != nil {
		return bad(r.name, "Recurse failed: %s", err.Error()), ctx.Err()
	}
	folder, env := fileclient.Split(source)
	if env == "" {
		env = c.Saltenv
	}
	dirs, err := c.Env.Files().List(ctx, fileclient.Folders, env, folder)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(dirs, func(d string) bool { return d == folder || strings.HasPrefix(d, folder+"/") }) {
		return bad(r.name, "The directory '%s' does not exist on the salt fileserver in saltenv '%s'", folder, env), nil
	}
	if !isDir(r.name) {
		if exists(r.name) {
			return bad(r.name, "The path %s exists and is not a directory", r.name), nil
		}
		if !c.Test {
			own := owners{c.Value("user"), c.Value("group"), r.dirMode}
			if err := c.makeFolders(r.name, lexists, own); err != nil {
				return nil, err
			}
		}
	}
	kept, err := r.all(ctx, env, folder, dirs)
	if err != nil {
		return nil, err
	}
	if c.Truth("clean") {
		if err := r.clean(ctx, kept); err != nil {
			return nil, err
		}
	}
	return r.end(), nil
}

// all brings each link, folder and file into the wanted state, and returns their paths.
// folders are those of the source, including itself.
func (r *recursion) all(ctx context.Context, env, folder string, folders []string) (kept []string, err error) {
	list, err := r.listing(ctx, env, folder, folders)
	if err != nil {
		return nil, err
	}
	for _, l := range list.links {
		kw := value.NewMap("target", l.target, "makedirs", true, "force", r.Value("force_symlinks"), "mode", r.Value("sym_mode"))
		if err := r.sub(ctx, "file.symlink", filepath.Join(r.name, l.rel), kw, false); err != nil {
			return nil, err
		}
	}
	for _, dir := range list.dirs {
		if left, err := r.replaced(dir, exists(dir) && !isDir(dir), "Replacing %s with a directory", "Replaced file with a directory"); left || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := r.sub(ctx, "file.directory", dir, value.NewMap("dir_mode", orNil(r.dirMode), "makedirs", true), false); err != nil {
			return nil, err
		}
	}
	for _, rel := range list.files {
		path := filepath.Join(r.name, rel)
		left, err := r.replaced(path, isDir(path) && r.Truth("replace"), "Replacing directory %s with a file", "Replaced directory with a new file")
		if err != nil {
			return nil, err
		}
		if left {
			continue
		}
		kw := value.NewMap("source", "salt://"+folder+"/"+rel+"?saltenv="+env, "mode", r.fileMode, "makedirs", true)
		for _, name := range []string{"keep_source", "template", "replace", "context", "defaults", "backup"} {
			kw.Set(name, r.Value(name))
		}
		if err := r.sub(ctx, "file.managed", path, kw, true); err != nil {
			return nil, err
		}
	}
	return list.paths(r.name), nil
}

// replaced removes, with clean, what blocks a file or a folder. A test run only reports it.
func (r *recursion) replaced(path string, inTheWay bool, would, did string) (left bool, err error) {
	if !inTheWay || !r.Truth("clean") {
		return false, nil
	}
	if r.Test {
		r.merge(path, &states.Result{Comment: fmt.Sprintf(would, path), Changes: value.NewMap()})
		return true, nil
	}
	res := good(path, "")
	res.Changes.Set("diff", did)
	r.merge(path, res)
	return false, os.RemoveAll(path)
}

// clean removes what is neither kept nor excluded.
func (r *recursion) clean(ctx context.Context, kept []string) error {
	d := &directory{Call: r.Call, name: filepath.Clean(r.name), keeps: kept}
	if r.Test {
		gone, err := d.unkept(ctx)
		if len(gone) > 0 {
			if pyfmt.Truth(r.res.Result) {
				r.res.Result = nil
			}
			r.comments = append(r.comments, "\n#### removed ####\n"+strings.Join(gone, "\n"))
		}
		return err
	}
	gone, err := d.clean(ctx)
	if len(gone) > 0 {
		r.res.Changes.Set("removed", gone)
	}
	return err
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// sub runs another state function and merges its result.
func (r *recursion) sub(ctx context.Context, fun, path string, kw *value.Map, more bool) error {
	fn, _ := Lookup(fun)
	call := *r.Call.Call
	call.Fun, call.Args, call.Kwargs = fun, value.NewMap(), value.NewMap()
	kw.Set("name", path)
	kw.Set("user", r.Value("user"))
	kw.Set("group", r.Value("group"))
	for _, a := range fn.Args {
		v, ok := kw.Get(a.Name)
		if !ok {
			v = a.Default
		}
		call.Args.Set(a.Name, v)
	}
	if more {
		r.Kwargs.Range(func(k, v any) bool {
			call.Kwargs.Set(k, v)
			return true
		})
	}
	one := *r.Call
	one.Call = &call
	res, err := fn.Run(ctx, &one)
	if err != nil {
		return err
	}
	r.merge(path, res)
	return nil
}

// merge merges the result of one path.
func (r *recursion) merge(path string, res *states.Result) {
	if res.Result == false || r.res.Result == true {
		r.res.Result = res.Result
	}
	if res.Result != true && res.Comment != "" {
		r.report(path, res.Comment)
	}
	if res.Changes.Len() > 0 {
		r.res.Changes.Set(path, res.Changes)
	}
}

// report adds a comment to those of a path.
func (r *recursion) report(path, comment string) {
	head := fmt.Sprintf("\n#### %s ####\n", path)
	if i := slices.IndexFunc(r.comments, func(c string) bool { return strings.HasPrefix(c, head) }); i >= 0 {
		r.comments[i] += "\n" + comment
		return
	}
	r.comments = append(r.comments, head+comment)
}

func (r *recursion) end() *states.Result {
	r.res.Comment = strings.TrimSpace(strings.Join(r.comments, "\n"))
	if r.res.Comment == "" {
		r.res.Comment = fmt.Sprintf("Recursively updated %s", r.name)
	}
	if r.res.Changes.Len() == 0 && pyfmt.Truth(r.res.Result) {
		r.res.Comment = fmt.Sprintf("The directory %s is in the correct state", r.name)
	}
	return r.res
}
