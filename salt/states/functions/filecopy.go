package functions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/salt/states"
)

func init() {
	Register("file", Function{
		Name: "copy", Run: fileCopy, Spec: states.Spec{VarKw: true, Args: args([]string{"name", "source"}, "force", false, "makedirs", false,
			"preserve", false, "user", nil, "group", nil, "mode", nil, "dir_mode", nil, "subdir", false)}, Doc: `
Copies a file or folder of this host (source) to a path that does not exist.

force : False
    Replaces an existing path.
makedirs : False, dir_mode
    Creates its parent folders, with a mode.
preserve : False
    Keeps owner and mode of the source.
user, group, mode
    Owner and mode of the copy; by default the minion's user, with the mode of
    the source.
subdir : False
    Copies into the folder of that name.
`,
	})
}

func fileCopy(_ context.Context, c *Call) (*states.Result, error) {
	name, source := expand(c.Name()), expand(c.Str("source"))
	res := good(name, fmt.Sprintf("Copied \"%s\" to \"%s\"", source, name))
	switch {
	case name == "":
		return bad(name, "Must provide name to file.copy"), nil
	case !filepath.IsAbs(name):
		return bad(name, "Specified file %s is not an absolute path", name), nil
	case !exists(source):
		return bad(name, "Source file \"%s\" is not present", source), nil
	}
	from, err := infoOf(source, true)
	if err != nil {
		return bad(name, "%s", osError(err)), nil
	}
	o := owners{from.user, from.group, from.mode}
	if !c.Truth("preserve") {
		o = c.ownersOrMine()
		if msg := c.checkUser(o.user, o.group); msg != "" {
			return bad(name, "%s", msg), nil
		}
		if o.mode, err = modeOf(c.Value("mode")); err != nil {
			return bad(name, "%s", err.Error()), nil
		}
		if o.mode == "" {
			o.mode = from.mode
		}
	}
	dest := name
	if isDir(name) && c.Truth("subdir") {
		dest = filepath.Join(name, filepath.Base(source))
	}
	if lexists(dest) {
		if !c.Truth("force") {
			return good(name, fmt.Sprintf("The target file \"%s\" exists and will not be overwritten", dest)), nil
		}
		if same, err := sameFiles(dest, source); isFile(dest) && err == nil && same {
			res.Comment += " - files are identical but force flag is set"
		}
	}
	if c.Test {
		return would(name, fmt.Sprintf("File \"%s\" is set to be copied to \"%s\"", source, dest), nil), nil
	}
	//mutant:state-copy-keeps-its-source
	if inside(source, dest) {
		return bad(name, "Failed to copy \"%s\" to \"%s\": one holds the other", source, dest), nil
	}
	if lexists(dest) {
		if err := os.RemoveAll(dest); err != nil {
			return bad(name, "Failed to delete \"%s\" in preparation for forced move", dest), nil
		}
	}
	if dir := filepath.Dir(dest); !isDir(dir) {
		if !c.Truth("makedirs") {
			return bad(name, "The target directory %s is not present", dir), nil
		}
		mode, err := modeOf(c.Value("dir_mode"))
		if err != nil {
			return bad(name, "%s", err.Error()), nil
		}
		if mode == "" {
			mode = searchable(o.mode)
		}
		if err := c.makeParents(dest, owners{o.user, o.group, mode}); err != nil {
			return nil, err
		}
	}
	return c.copied(res, source, dest, o), nil
}

// copied copies the source, and sets owner and mode of the copy.
func (c *Call) copied(res *states.Result, source, dest string, o owners) *states.Result {
	var err error
	if isDir(source) {
		err = c.copyTree(source, dest, o)
	} else {
		err = copyFile(source, dest)
	}
	if err != nil {
		return bad(res.Name, "Failed to copy \"%s\" to \"%s\"", source, dest)
	}
	res.Changes.Set(dest, source)
	if c.Truth("preserve") {
		return res
	}
	// As in Salt, the comment has the name of the state, and replaces only a failure.
	own := good(res.Name, "")
	own.Changes = res.Changes
	if err := c.checkPerms(dest, own, o, false); err != nil {
		return bad(res.Name, "%s", osError(err))
	}
	if own.Result == false {
		res.Result, res.Comment = false, res.Comment+"; "+own.Comment
	}
	return res
}

// copyTree copies a folder with its links, and sets the owner of its content.
func (c *Call) copyTree(source, dest string, o owners) error {
	uid, _ := uidOf(o.user)
	gid, _ := gidOf(o.group)
	var modes []func() error
	err := filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := dest + path[len(source):]
		switch {
		case d.IsDir():
			st, err := d.Info()
			if err != nil {
				return err
			}
			if err := os.Mkdir(to, 0o700); err != nil {
				return err
			}
			modes = append(modes, func() error { return os.Chmod(to, fileMode(unixMode(st.Mode()))) })
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			if err := os.Symlink(link, to); err != nil {
				return err
			}
		case d.Type().IsRegular():
			if err := copyFile(path, to); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s is not a file, link or folder", path)
		}
		if path == source {
			return nil
		}
		return os.Lchown(to, uid, gid)
	})
	for i := len(modes) - 1; i >= 0; i-- {
		err = errors.Join(err, modes[i]())
	}
	return err
}

// inside reports whether one path is inside the other or equal. A copy would not end, or
// would remove its source.
func inside(a, b string) bool {
	real := func(p string) string {
		if r, err := filepath.EvalSymlinks(p); err == nil {
			return r
		}
		if r, err := filepath.EvalSymlinks(filepath.Dir(p)); err == nil {
			return filepath.Join(r, filepath.Base(p))
		}
		return filepath.Clean(p)
	}
	a, b = real(a), real(b)
	within := func(dir, p string) bool {
		rel, err := filepath.Rel(dir, p)
		return err == nil && filepath.IsLocal(rel)
	}
	return within(a, b) && (isDir(a) || a == b) || within(b, a)
}
