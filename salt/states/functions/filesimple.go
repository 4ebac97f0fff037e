package functions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	loose := states.Spec{Args: args(onlyName), VarKw: true}
	Register("file",
		Function{Name: "exists", Spec: loose, Run: fileExists, Doc: "\nFails when there is nothing at a path.\n"},
		Function{Name: "missing", Spec: loose, Run: fileMissing, Doc: "\nFails when there is something at a path.\n"},
		Function{Name: "absent", Spec: loose, Run: fileAbsent, Doc: "\nRemoves a file, a link, or a folder with all that is in it.\n"},
		Function{Name: "touch", Spec: states.Spec{Args: args(onlyName, "atime", nil, "mtime", nil, "makedirs", false)}, Run: fileTouch, Doc: `
Creates an empty file, or sets the times of an existing one.

atime, mtime
    In seconds since 1970; now by default.
makedirs : False
    Creates its parent folders.
`},
	)
}

func fileExists(_ context.Context, c *Call) (*states.Result, error) {
	name := expand(c.Name())
	switch {
	case name == "":
		return bad(name, "Must provide name to file.exists"), nil
	case !exists(name):
		return bad(name, "Specified path %s does not exist", name), nil
	}
	return good(name, fmt.Sprintf("Path %s exists", name)), nil
}

func fileMissing(_ context.Context, c *Call) (*states.Result, error) {
	name := expand(c.Name())
	switch {
	case name == "":
		return bad(name, "Must provide name to file.missing"), nil
	case exists(name):
		return bad(name, "Specified path %s exists", name), nil
	}
	return good(name, fmt.Sprintf("Path %s is missing", name)), nil
}

func fileAbsent(_ context.Context, c *Call) (*states.Result, error) {
	name := expand(c.Name())
	switch {
	case name == "":
		return bad(name, "Must provide name to file.absent"), nil
	case !filepath.IsAbs(name):
		return bad(name, "Specified file %s is not an absolute path", name), nil
	case filepath.Clean(name) == "/":
		return bad(name, "Refusing to make \"/\" absent"), nil
	}
	kind, title := "file", "File"
	switch {
	case isLink(name) || isFile(name):
	case isDir(name):
		kind, title = "directory", "Directory"
	default:
		return good(name, fmt.Sprintf("File %s is not present", name)), nil
	}
	changes := value.NewMap("removed", name)
	if c.Test {
		return would(name, fmt.Sprintf("%s %s is set for removal", title, name), changes), nil
	}
	if err := os.RemoveAll(name); err != nil {
		if kind == "directory" {
			return bad(name, "Failed to remove directory %s", name), nil
		}
		return bad(name, "%s", osError(err)), nil
	}
	res := good(name, fmt.Sprintf("Removed %s %s", kind, name))
	res.Changes = changes
	return res, nil
}

// timeOf parses a time of file.touch.
func timeOf(v any, now time.Time) (time.Time, error) {
	if v == nil {
		return now, nil
	}
	m := value.NewMap("t", v)
	switch v.(type) {
	case int64, float64:
		sec := m.Float("t")
		return time.Unix(0, int64(sec*1e9)), nil
	}
	return now, fmt.Errorf("atime and mtime are seconds since 1970, not %s", pystr(v))
}

func fileTouch(_ context.Context, c *Call) (*states.Result, error) {
	name := expand(c.Name())
	switch {
	case name == "":
		return bad(name, "Must provide name to file.touch"), nil
	case !filepath.IsAbs(name):
		return bad(name, "Specified file %s is not an absolute path", name), nil
	}
	now := time.Now()
	atime, err := timeOf(c.Value("atime"), now)
	if err != nil {
		return bad(name, "%s", err.Error()), nil
	}
	mtime, err := timeOf(c.Value("mtime"), now)
	if err != nil {
		return bad(name, "%s", err.Error()), nil
	}
	st, statErr := os.Stat(name)
	if c.Test {
		switch {
		case statErr != nil:
			return would(name, fmt.Sprintf("File %s is set to be created", name), value.NewMap("new", name)), nil
		case c.Value("mtime") != nil && !st.ModTime().Equal(mtime) || c.Value("atime") != nil && !accessed(st).Equal(atime):
			return would(name, fmt.Sprintf("Times set to be updated on file %s", name), value.NewMap("touched", name)), nil
		}
		res := good(name, fmt.Sprintf("File %s exists and has the correct times", name))
		res.Changes.Set("new", name)
		return res, nil
	}
	if c.Truth("makedirs") {
		if err := c.makeParents(name, owners{}); err != nil {
			return nil, err
		}
	}
	if !isDir(filepath.Dir(name)) {
		return bad(name, "Directory not present to touch file %s", name), nil
	}
	if err := touch(name, mtime); err != nil {
		return nil, strerror(err)
	}
	if err := os.Chtimes(name, atime, mtime); err != nil {
		return nil, strerror(err)
	}
	res := good(name, "")
	switch {
	case statErr != nil:
		res.Comment = fmt.Sprintf("Created empty file %s", name)
		res.Changes.Set("new", name)
	case st.IsDir():
		res.Comment = fmt.Sprintf("Updated times on directory %s", name)
		res.Changes.Set("touched", name)
	default:
		res.Comment = fmt.Sprintf("Updated times on file %s", name)
		res.Changes.Set("touched", name)
	}
	return res, nil
}
