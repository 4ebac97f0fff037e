package functions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/momtree/mom/salt/states"
)

func init() {
	Register("file", Function{
		Name: "rename", Run: fileRename,
		Spec: states.Spec{VarKw: true, Args: args([]string{"name", "source"}, "force", false, "makedirs", false)}, Doc: `
Moves a file or folder (source) to a path (name) if it still exists.

force : False
    Removes an existing file in its place.
makedirs : False
    Creates its parent folders.
`,
	})
}

func fileRename(_ context.Context, c *Call) (*states.Result, error) {
	name, source := os.ExpandEnv(expand(c.Name())), os.ExpandEnv(expand(c.Str("source")))
	switch {
	case name == "":
		return bad(name, "Must provide name to file.rename"), nil
	case !filepath.IsAbs(name):
		return bad(name, "Specified file %s is not an absolute path", name), nil
	case !lexists(source):
		return good(name, fmt.Sprintf("Source file \"%s\" has already been moved out of place", source)), nil
	case lexists(name) && !c.Truth("force"):
		return good(name, fmt.Sprintf("The target file \"%s\" exists and will not be overwritten", name)), nil
	case c.Test:
		return would(name, fmt.Sprintf("File \"%s\" is set to be moved to \"%s\"", source, name), nil), nil
	}
	if err := os.RemoveAll(name); err != nil && lexists(name) {
		return bad(name, "Failed to delete \"%s\" in preparation for forced move", name), nil
	}
	if dir := filepath.Dir(name); !isDir(dir) {
		if !c.Truth("makedirs") {
			return bad(name, "The target directory %s is not present", dir), nil
		}
		if err := c.makeParents(name, owners{}); err != nil {
			return nil, err
		}
	}
	if err := move(source, name); err != nil {
		return bad(name, "Failed to move \"%s\" to \"%s\"", source, name), nil
	}
	res := good(name, fmt.Sprintf("Moved \"%s\" to \"%s\"", source, name))
	res.Changes.Set(name, source)
	return res, nil
}

// move renames a file; a regular file also to another file system.
func move(from, to string) error {
	err := os.Rename(from, to)
	if err == nil || !isFile(from) || isLink(from) {
		return err
	}
	if err := copyFile(from, to); err != nil {
		return err
	}
	return os.Remove(from)
}
