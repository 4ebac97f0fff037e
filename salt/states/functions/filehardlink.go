package functions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("file", Function{
		Name: "hardlink", Run: fileHardlink, Spec: states.Spec{VarKw: true, Args: args([]string{"name", "target"},
			"force", false, "makedirs", false, "user", nil, "group", nil, "dir_mode", nil)}, Doc: `
Manages a hard link.

target
    The file to link to.
force : False
    Removes an existing file in its place.
makedirs : False, user, group, dir_mode
    Creates its parent folders, with an owner and a mode.
`,
	})
}

// ownersOrMine returns user and group of a state, by default those of the minion.
func (c *Call) ownersOrMine() owners {
	o := owners{user: c.Value("user"), group: c.Value("group")}
	if v, ok := c.Kwargs.Get("owner"); ok && !given(o.user) {
		o.user = v
	}
	if o.user == nil {
		o.user = userName(os.Getuid())
	}
	if o.group == nil {
		if _, gid, err := ownerOf(pystr(o.user)); err == nil {
			o.group = groupName(gid)
		}
	}
	return o
}

// hardLinked reports whether a file has several names.
func hardLinked(path string) bool {
	st, err := os.Lstat(path)
	if err != nil {
		return false
	}
	sys, ok := posix.StatOf(st)
	return ok && sys.Nlink > 1
}

func sameInode(a, b string) bool {
	x, err := os.Lstat(a)
	if err != nil {
		return false
	}
	y, err := os.Lstat(b)
	return err == nil && os.SameFile(x, y)
}

func fileHardlink(_ context.Context, c *Call) (*states.Result, error) {
	name, target := expand(c.Name()), c.Str("target")
	if name == "" {
		return bad(name, "Must provide name to file.hardlink"), nil
	}
	mode, err := modeOf(c.Value("dir_mode"))
	if err != nil {
		return bad(name, "%s", err.Error()), nil
	}
	o := c.ownersOrMine()
	if msg := linkProblems(name, target, o); msg != "" {
		return bad(name, "%s", msg), nil
	}
	if c.Test {
		result, comment, changes := hardlinkCheck(name, target, c.Truth("force"))
		return &states.Result{Name: name, Result: result, Comment: comment, Changes: changes}, nil
	}
	switch {
	case isDir(name):
		return bad(name, "Unable to hard link to directory %s", name), nil
	case isDir(target):
		return bad(name, "Unable to hard link from directory %s", target), nil
	case !exists(target):
		return bad(name, "Target %s for hard link does not exist", target), nil
	}
	if dir := filepath.Dir(name); !isDir(dir) {
		if !c.Truth("makedirs") {
			return bad(name, "Directory %s for hard link is not present", dir), nil
		}
		if err := c.makeParents(name, owners{o.user, o.group, mode}); err != nil {
			return nil, err
		}
	}
	return c.hardlink(name, target), nil
}

// linkProblems returns a message for owners and paths that are invalid for a link, else "".
func linkProblems(name, target string, o owners) string {
	var errs []string
	if _, ok := uidOf(o.user); !ok {
		errs = append(errs, fmt.Sprintf("User %s does not exist", pystr(o.user)))
	}
	if _, ok := gidOf(o.group); !ok {
		errs = append(errs, fmt.Sprintf("Group %s does not exist", pystr(o.group)))
	}
	if !filepath.IsAbs(name) {
		errs = append(errs, fmt.Sprintf("Specified file %s is not an absolute path", name))
	}
	if !filepath.IsAbs(target) {
		errs = append(errs, fmt.Sprintf("Specified target %s is not an absolute path", target))
	}
	msg := strings.Join(errs, ". ")
	if len(errs) > 1 {
		msg += "."
	}
	return msg
}

func hardlinkCheck(name, target string, force bool) (result any, comment string, changes *value.Map) {
	changes = value.NewMap()
	switch {
	case !exists(target):
		return false, fmt.Sprintf("Target %s for hard link does not exist", target), changes
	case isDir(target):
		return false, fmt.Sprintf("Unable to hard link from directory %s", target), changes
	case isDir(name):
		return false, fmt.Sprintf("Unable to hard link to directory %s", name), changes
	case !exists(name):
		changes.Set("new", name)
		return nil, fmt.Sprintf("Hard link %s to %s is set for creation", name, target), changes
	case hardLinked(name) && sameInode(name, target):
		return true, fmt.Sprintf("The hard link %s is presently targetting %s", name, target), changes //nolint:misspell // in Salt's words
	case hardLinked(name):
		changes.Set("change", name)
		return nil, fmt.Sprintf("Link %s target is set to be changed to %s", name, target), changes
	case force:
		return nil, fmt.Sprintf("The file or directory %s is set for removal to make way for a new hard link targeting %s", name, target), changes
	}
	return false, fmt.Sprintf("File or directory exists where the hard link %s should be. Did you mean to use force?", name), changes
}

// hardlink creates the link.
func (c *Call) hardlink(name, target string) *states.Result {
	res := good(name, "")
	done, failed := "Created new hard link", "Unable to create new hard link"
	switch {
	case hardLinked(name) && sameInode(name, target):
		res.Comment = fmt.Sprintf("Target of hard link %s is already pointing to %s", name, target)
		return res
	case hardLinked(name):
		done, failed = "Set target of hard link", "Unable to set target of hard link"
		if err := os.Remove(name); err != nil {
			return bad(name, "%s", osError(err))
		}
	case isFile(name):
		if !c.Truth("force") {
			return bad(name, "File exists where the hard link %s should be", name)
		}
		if err := os.Remove(name); err != nil {
			return bad(name, "%s", osError(err))
		}
		res.Changes.Set("forced", "File for hard link was forcibly replaced")
	case exists(name):
		return res
	}
	if err := os.Link(target, name); err != nil {
		res.Result, res.Comment = false, fmt.Sprintf("%s %s -> %s: Could not create '%s': %s", failed, name, target, name, osError(err))
		return res
	}
	res.Comment = fmt.Sprintf("%s %s -> %s", done, name, target)
	res.Changes.Set("new", name)
	return res
}
