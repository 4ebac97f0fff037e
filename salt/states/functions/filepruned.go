package functions

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("file", Function{
		Name: "pruned", Run: filePruned,
		Spec: states.Spec{Args: args(onlyName, "recurse", false, "ignore_errors", false, "older_than", nil)}, Doc: `
Removes an empty folder.

recurse : False
    Also its empty subfolders.
ignore_errors : False
    Removes only the empty ones, and succeeds.
older_than
    Keeps folders changed within this number of days.
`,
	})
}

// pruning is one run of file.pruned.
type pruning struct {
	before  time.Time // zero: any
	deleted []string
	faults  []any
}

func filePruned(_ context.Context, c *Call) (*states.Result, error) {
	name := expand(c.Name())
	recurse := c.Truth("recurse") || c.Truth("ignore_errors")
	if !isDir(name) {
		return good(name, fmt.Sprintf("Directory %s is not present", name)), nil
	}
	if c.Test {
		return would(name, fmt.Sprintf("Directory %s is set for removal", name), value.NewMap("deleted", name)), nil
	}
	if !filepath.IsAbs(name) {
		return nil, fmt.Errorf("File path must be absolute.")
	}
	p := &pruning{}
	if v := c.Value("older_than"); pyfmt.Truth(v) {
		days, err := strconv.Atoi(pystr(v))
		if err != nil {
			return bad(name, "older_than of file.pruned is a number of days, not %s", pystr(v)), nil
		}
		p.before = time.Now().AddDate(0, 0, -days)
	}
	ok := p.prune(name, recurse)
	res := good(name, "")
	switch {
	case (ok || c.Truth("ignore_errors")) && recurse && len(p.deleted) > 0:
		slices.Sort(p.deleted)
		res.Comment = fmt.Sprintf("Recursively removed empty directories under %s", name)
		res.Changes.Set("deleted", texted(p.deleted))
	case ok && !recurse:
		res.Comment = fmt.Sprintf("Removed directory %s", name)
		res.Changes.Set("deleted", name)
	case !ok:
		res.Result, res.Comment = false, fmt.Sprintf("Failed to remove directory %s", name)
		if p.faults == nil {
			p.faults = []any{}
		}
		res.Changes = value.NewMap("deleted", texted(p.deleted), "errors", p.faults)
	}
	return res, nil
}

// prune removes a folder, with recurse after those in it; ok is Salt's verdict.
func (p *pruning) prune(name string, recurse bool) (ok bool) {
	if recurse {
		p.below(name)
		ok = len(p.faults) == 0
	}
	if tried, gone := p.remove(name); tried {
		ok = gone && (ok || !recurse)
	}
	return ok
}

// below removes the folders in a folder, the deepest first.
func (p *pruning) below(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var folders []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			p.below(path)
			folders = append(folders, path)
		case e.Type()&fs.ModeSymlink != 0 && isDir(path):
			folders = append(folders, path)
		}
	}
	for _, path := range folders {
		p.remove(path)
	}
}

// remove removes one folder if it is old enough and empty.
func (p *pruning) remove(path string) (tried, gone bool) {
	st, err := os.Stat(path)
	if err != nil || !p.before.IsZero() && !st.ModTime().Before(p.before) {
		return false, false
	}
	if err := rmdir(path); err != nil {
		p.faults = append(p.faults, []any{path, osError(err)})
		return true, false
	}
	p.deleted = append(p.deleted, path)
	return true, true
}

// rmdir removes an empty folder.
func rmdir(path string) error {
	if err := syscall.Rmdir(path); err != nil {
		return &fs.PathError{Op: "rmdir", Path: path, Err: err}
	}
	return nil
}
