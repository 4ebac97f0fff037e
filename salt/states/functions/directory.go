package functions

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("file", Function{
		Name: "directory", Run: fileDirectory, Spec: states.Spec{VarKw: true, Args: args(onlyName,
			"user", nil, "group", nil, "recurse", nil, "max_depth", nil, "dir_mode", nil, "file_mode", nil, "makedirs", false,
			"clean", false, "require", nil, "exclude_pat", nil, "follow_symlinks", false, "force", false, "backupname", nil,
			"allow_symlink", true, "children_only", false)}, Doc: `
Manages a folder.

user, group, dir_mode (also mode), file_mode
    Its owner and mode.
recurse, max_depth, children_only, follow_symlinks
    A list of user, group and mode applies them to the whole content;
    ignore_files, ignore_dirs and silent exclude something. max_depth limits the
    depth.
makedirs : False
    Creates its parent folders.
clean : False, exclude_pat
    Removes what no required state keeps, except paths that match a glob, or a
    regular expression after E@.
force, backupname, allow_symlink
    What happens to a file or link in its place.
`,
	})
}

// directory is one run of file.directory.
type directory struct {
	*Call
	name     string
	res      *states.Result
	owners   owners // of folders
	fileMode string
	walk     []folder
	keeps    []string // paths that clean keeps, besides those of required states
}

// folder is the content of one folder.
type folder struct {
	path        string
	dirs, files []string
}

func fileDirectory(ctx context.Context, c *Call) (*states.Result, error) {
	name := expand(c.Name())
	if name == "" {
		return bad(name, "Must provide name to file.directory"), nil
	}
	d := &directory{Call: c, name: name, res: good(name, "")}
	if name != "/" {
		d.name = strings.TrimSuffix(name, "/")
	}
	if c.Value("max_depth") != nil && c.Truth("clean") {
		return bad(name, "Cannot specify both max_depth and clean"), nil
	}
	if msg := d.options(); msg != "" {
		return bad(name, "%s", msg), nil
	}
	if res, err := d.makeRoom(); res != nil || err != nil {
		return res, err
	}
	test, err := d.check(ctx)
	if err != nil {
		return nil, err
	}
	if c.Test || d.res.Changes.Len() == 0 {
		d.res.Result, d.res.Comment = test.Result, test.Comment
		return d.res, nil
	}
	if !isDir(d.name) {
		return d.make()
	}
	return d.update(ctx)
}

func (d *directory) options() string {
	d.owners.user, d.owners.group = d.Value("user"), d.Value("group")
	if v, ok := d.Kwargs.Get("owner"); ok && !given(d.owners.user) {
		d.owners.user = v
	}
	dirMode, fileMode := d.Value("dir_mode"), d.Value("file_mode")
	if v, ok := d.Kwargs.Get("mode"); ok && !pyfmt.Truth(dirMode) {
		dirMode = v
	}
	if !pyfmt.Truth(fileMode) {
		fileMode = dirMode
	}
	var err error
	if d.owners.mode, err = modeOf(dirMode); err != nil {
		return err.Error()
	}
	if d.fileMode, err = modeOf(fileMode); err != nil {
		return err.Error()
	}
	if msg := d.checkUser(d.owners.user, d.owners.group); msg != "" {
		return msg
	}
	if !filepath.IsAbs(d.name) {
		return fmt.Sprintf("Specified file %s is not an absolute path", d.name)
	}
	return ""
}

// makeRoom handles a file or link in the place of the folder. It returns a result if that
// fails.
func (d *directory) makeRoom() (*states.Result, error) {
	file, link := isFile(d.name), isLink(d.name)
	if !file && !(link && (!d.Truth("allow_symlink") || d.Truth("force"))) {
		return nil, nil
	}
	switch {
	case d.Value("backupname") != nil:
		backup := pystr(d.Value("backupname"))
		if lexists(backup) && !d.Truth("force") {
			return bad(d.res.Name, "File exists where the backup target %s should go", backup), nil
		}
		if d.Test {
			return nil, nil
		}
		if err := os.RemoveAll(backup); err != nil {
			return bad(d.res.Name, "%s", osError(err)), nil
		}
		if err := os.Rename(d.name, backup); err != nil {
			return nil, err
		}
	case d.Truth("force"):
		what, how := "File", "was"
		if !file {
			what = "Symlink"
		}
		if d.Test {
			how = "would be"
		} else if err := os.Remove(d.name); err != nil {
			return bad(d.res.Name, "%s", osError(err)), nil
		}
		d.res.Changes.Set("forced", fmt.Sprintf("%s %s forcibly replaced", what, how))
	case file:
		return bad(d.res.Name, "Specified location %s exists and is a file", d.name), nil
	default:
		return bad(d.res.Name, "Specified location %s exists and is a symlink", d.name), nil
	}
	return nil, nil
}

// make creates the folder.
func (d *directory) make() (*states.Result, error) {
	if !isDir(filepath.Dir(d.name)) {
		if !d.Truth("makedirs") {
			return d.failed("No directory to create %s in", d.name), nil
		}
		if err := d.makeParents(d.name, d.owners); err != nil {
			return nil, err
		}
	}
	if err := d.mkdir(d.name, d.owners); err != nil {
		return nil, err
	}
	d.res.Changes.Set(d.name, value.NewMap("directory", "new"))
	return d.res, nil
}

func (d *directory) failed(format string, a ...any) *states.Result {
	d.res.Result, d.res.Comment = false, fmt.Sprintf(format, a...)
	return d.res
}

// recurse parses the option recurse: user, group, mode, ignore_files, ignore_dirs, silent.
func (d *directory) recurse() ([]string, error) {
	v := d.Value("recurse")
	if !pyfmt.Truth(v) {
		return nil, nil
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("\"recurse\" must be formed as a list of strings")
	}
	var out []string
	for _, e := range list {
		s := pystr(e)
		if !slices.Contains([]string{"user", "group", "mode", "ignore_files", "ignore_dirs", "silent"}, s) {
			return nil, fmt.Errorf("Types for \"recurse\" limited to %s.", `"user", "group", "mode", "ignore_files", "ignore_dirs", "silent"`)
		}
		out = append(out, s)
	}
	if slices.Contains(out, "ignore_files") && slices.Contains(out, "ignore_dirs") {
		return nil, fmt.Errorf("Must not specify \"recurse\" options \"ignore_files\" and \"ignore_dirs\" at the same time.")
	}
	return out, nil
}

// limited returns the owners of the folder's content, as selected by recurse.
func (d *directory) limited(recurse []string) (dirs, files owners) {
	if slices.Contains(recurse, "user") {
		dirs.user = d.owners.user
	}
	if slices.Contains(recurse, "group") {
		dirs.group = d.owners.group
	}
	files = dirs
	if slices.Contains(recurse, "mode") {
		dirs.mode, files.mode = d.owners.mode, d.fileMode
	}
	return dirs, files
}

// inside walks the content of the folder without following links.
func (d *directory) inside() ([]folder, error) {
	if d.walk != nil {
		return d.walk, nil
	}
	limit := -1
	if n, ok := d.Value("max_depth").(int64); ok {
		limit = int(n)
	}
	var walk func(path string, depth int) error
	walk = func(path string, depth int) error {
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil // as os.walk: skip what cannot be read
		}
		f := folder{path: path}
		for _, e := range entries {
			if e.IsDir() || e.Type()&fs.ModeSymlink != 0 && isDir(filepath.Join(path, e.Name())) {
				if limit < 0 || depth < limit {
					f.dirs = append(f.dirs, e.Name())
				}
				continue
			}
			f.files = append(f.files, e.Name())
		}
		d.walk = append(d.walk, f)
		for _, name := range f.dirs {
			if sub := filepath.Join(path, name); !isLink(sub) {
				if err := walk(sub, depth+1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err := walk(d.name, 0)
	return d.walk, err
}

// update sets owner and mode of the folder and its content.
func (d *directory) update(ctx context.Context) (*states.Result, error) {
	follow := d.Truth("follow_symlinks")
	if !d.Truth("children_only") {
		if err := d.checkPerms(d.name, d.res, d.owners, follow); err != nil {
			return nil, err
		}
	}
	recurse, err := d.recurse()
	if err != nil {
		return nil, err
	}
	if len(recurse) > 0 {
		if err := d.updateInside(recurse, follow); err != nil {
			return nil, err
		}
	}
	if d.Truth("clean") {
		removed, err := d.clean(ctx)
		if err != nil {
			return nil, err
		}
		if len(removed) > 0 {
			d.res.Changes.Set("removed", removed)
			d.res.Comment = fmt.Sprintf("Files cleaned from directory %s", d.name)
		}
	}
	switch {
	case d.res.Comment == "" && d.Truth("children_only"):
		d.res.Comment = fmt.Sprintf("Directory %s/* updated", d.name)
	case d.res.Comment == "" && d.res.Changes.Len() > 0:
		d.res.Comment = fmt.Sprintf("Directory %s updated", d.name)
	}
	return d.res, nil
}

func (d *directory) updateInside(recurse []string, follow bool) error {
	for _, who := range []string{"user", "group"} {
		if v := d.Value(who); slices.Contains(recurse, who) && !given(v) {
			d.failed("%s not specified, but configured as a target for recursive ownership management", who)
		}
	}
	if slices.Contains(recurse, "silent") {
		d.res.Changes = value.NewMap("recursion", "Changes silenced")
	}
	walk, err := d.inside()
	if err != nil {
		return err
	}
	dirs, files := d.limited(recurse)
	each := func(folder string, names []string, o owners) error {
		for _, n := range names {
			path := filepath.Join(folder, n)
			if err := d.checkPerms(path, d.res, o, follow); err != nil && lexists(path) {
				return err
			}
		}
		return nil
	}
	for _, f := range walk {
		if !slices.Contains(recurse, "ignore_files") {
			if err := each(f.path, f.files, files); err != nil {
				return err
			}
		}
		if !slices.Contains(recurse, "ignore_dirs") {
			if err := each(f.path, f.dirs, dirs); err != nil {
				return err
			}
		}
	}
	return nil
}
