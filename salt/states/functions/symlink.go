package functions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("file", Function{
		Name: "symlink", Run: fileSymlink, Spec: states.Spec{VarKw: true, Args: args([]string{"name", "target"},
			"force", false, "backupname", nil, "makedirs", false, "user", nil, "group", nil, "mode", nil,
			"atomic", false, "inherit_user_and_group", false)}, Doc: `
Manages a symbolic link.

target
    What it points to.
force : False
    Replaces a file in its place, but not a folder.
backupname
    Renames what is in its place: a path, or a name in the same folder.
makedirs : False, mode
    Creates its parent folders, with a mode.
user, group, inherit_user_and_group
    The owner of the link.
atomic : False
    Replaces it in one step.
`,
	})
}

type symlink struct {
	*Call
	name, target string
	owners       owners
}

func fileSymlink(_ context.Context, c *Call) (*states.Result, error) {
	s := symlink{Call: c, name: expand(c.Name()), target: c.Str("target")}
	if s.name == "" {
		return bad(s.name, "Must provide name to file.symlink"), nil
	}
	mode, err := modeOf(c.Value("mode"))
	if err != nil {
		return bad(s.name, "%s", err.Error()), nil
	}
	if msg := s.whose(); msg != "" {
		return bad(s.name, "%s", msg), nil
	}
	before, comment, changes := s.look()
	if parent := filepath.Dir(s.name); !isDir(parent) {
		switch {
		case c.Truth("makedirs") && c.Test:
			comment += fmt.Sprintf("\n%s will be created", parent)
		case c.Truth("makedirs"):
			if err := c.makeParents(s.name, owners{s.owners.user, s.owners.group, mode}); err != nil {
				return nil, err
			}
		case c.Test:
			comment += fmt.Sprintf("\nDirectory %s for symlink is not present", parent)
		default:
			return bad(s.name, "Directory %s for symlink is not present", parent), nil
		}
	}
	if c.Test {
		return &states.Result{Name: s.name, Result: before, Comment: comment, Changes: changes}, nil
	}
	return s.make(), nil
}

// whose sets the owner of the link, by default the user of the minion. It returns a message
// if the owner is invalid, else "".
func (s *symlink) whose() string {
	s.owners.user, s.owners.group = s.Value("user"), s.Value("group")
	if v, ok := s.Kwargs.Get("owner"); ok && !given(s.owners.user) {
		s.owners.user = v
	}
	if now, err := infoOf(s.name, false); err == nil && now.isLink() && s.Truth("inherit_user_and_group") {
		if !given(s.owners.user) {
			s.owners.user = now.user
		}
		if !given(s.owners.group) {
			s.owners.group = now.group
		}
	}
	if !given(s.owners.user) {
		s.owners.user = userName(os.Getuid())
	}
	if !given(s.owners.group) {
		_, gid, _ := ownerOf(pystr(s.owners.user)) // 0 for an unknown user
		s.owners.group = groupName(gid)
	}
	var errs []string
	if _, ok := uidOf(s.owners.user); !ok {
		errs = append(errs, fmt.Sprintf("User %s does not exist", pystr(s.owners.user)))
	}
	if _, ok := gidOf(s.owners.group); !ok {
		errs = append(errs, fmt.Sprintf("Group %s does not exist", pystr(s.owners.group)))
	}
	if !filepath.IsAbs(s.name) {
		errs = append(errs, fmt.Sprintf("Specified file %s is not an absolute path", s.name))
	}
	msg := strings.Join(errs, ". ")
	if len(errs) > 1 {
		msg += "."
	}
	return msg
}

// look returns the result of a test run.
func (s *symlink) look() (result any, comment string, changes *value.Map) {
	changes = value.NewMap()
	now, err := infoOf(s.name, false)
	switch {
	case err != nil:
		changes.Set("new", s.name)
		return nil, fmt.Sprintf("Symlink %s to %s is set for creation", s.name, s.target), changes
	case now.isLink():
		to, _ := os.Readlink(s.name)
		if to != s.target {
			changes.Set("change", s.name)
			return nil, fmt.Sprintf("Link %s target is set to be changed to %s", s.name, s.target), changes
		}
		comment = fmt.Sprintf("The symlink %s is present", s.name)
		if user, group := s.owners.owns(now); user && group {
			return true, comment, changes
		}
		changes.Set("ownership", now.user+":"+now.group)
		return nil, comment + fmt.Sprintf(", but the ownership of the symlink would be changed from %s:%s to %s:%s",
			now.user, now.group, pystr(s.owners.user), pystr(s.owners.group)), changes
	case s.Truth("force"):
		return nil, fmt.Sprintf("The file or directory %s is set for removal to make way for a new symlink targeting %s", s.name, s.target), changes
	}
	return false, fmt.Sprintf("File or directory exists where the symlink %s should be. Did you mean to use force?", s.name), changes
}

func (s *symlink) make() *states.Result {
	owner := pystr(s.owners.user) + ":" + pystr(s.owners.group)
	now, err := infoOf(s.name, false)
	if err == nil && now.isLink() {
		to, _ := os.Readlink(s.name)
		if filepath.Clean(to) == filepath.Clean(s.target) {
			if user, group := s.owners.owns(now); user && group {
				return good(s.name, fmt.Sprintf("Symlink %s is present and owned by %s", s.name, owner))
			}
			if !s.own() {
				return bad(s.name, "Failed to set ownership of symlink %s to %s", s.name, owner)
			}
			res := good(s.name, fmt.Sprintf("Set ownership of symlink %s to %s", s.name, owner))
			res.Changes.Set("ownership", owner)
			return res
		}
		if err := os.Remove(s.name); err != nil { // with force or without, as in Salt
			return bad(s.name, "%s", osError(err))
		}
	} else if err == nil {
		if res := s.makeRoom(); res != nil {
			return res
		}
	}
	if err := s.link(); err != nil {
		return bad(s.name, "Unable to create new symlink %s -> %s: %s", s.name, s.target, osError(err))
	}
	res := good(s.name, fmt.Sprintf("Created new symlink %s -> %s", s.name, s.target))
	res.Changes.Set("new", s.name)
	if now, err := infoOf(s.name, false); err == nil {
		if user, group := s.owners.owns(now); (!user || !group) && !s.own() {
			res.Result = false
			res.Comment += fmt.Sprintf(", but was unable to set ownership to %s", owner)
		}
	}
	return res
}

// own sets the owner of the link.
func (s *symlink) own() bool {
	uid, _ := uidOf(s.owners.user)
	gid, _ := gidOf(s.owners.group)
	return os.Lchown(s.name, uid, gid) == nil
}

// makeRoom moves aside what is in the place of the link. It returns a result if that fails.
func (s *symlink) makeRoom() *states.Result {
	if v := s.Value("backupname"); v != nil {
		backup := pystr(v)
		if !filepath.IsAbs(backup) {
			if backup != filepath.Base(backup) {
				return bad(s.name, "Backupname must be an absolute path or a file name: %s", backup)
			}
			backup = filepath.Join(filepath.Dir(filepath.Clean(s.name)), backup)
		}
		if lexists(backup) {
			if !s.Truth("force") {
				return bad(s.name, "Symlink & backup dest exists and Force not set. %s -> %s - backup: %s", s.name, s.target, backup)
			}
			if err := os.RemoveAll(backup); err != nil {
				return bad(s.name, "%s", osError(err))
			}
		}
		if err := os.Rename(s.name, backup); err != nil {
			return bad(s.name, "Unable to rename %s to backup %s -> : %s", s.name, backup, osError(err))
		}
		return nil
	}
	if s.Truth("force") || s.Truth("atomic") {
		return nil
	}
	kind := "File system entry"
	switch {
	case isFile(s.name):
		kind = "File"
	case isDir(s.name):
		kind = "Directory"
	}
	return bad(s.name, "%s exists where the symlink %s should be", kind, s.name)
}

// link creates the link. With force it replaces what is in its place. As in Salt, the
// content of a folder stays.
func (s *symlink) link() error {
	now, err := infoOf(s.name, false)
	if err != nil {
		return s.create(s.name)
	}
	if s.Truth("atomic") && (now.isLink() || isFile(s.name)) {
		tmp := fmt.Sprintf("%s.%d", s.name, time.Now().UnixNano())
		if err := s.create(tmp); err != nil {
			return err
		}
		if err := os.Rename(tmp, s.name); err != nil {
			return errors.Join(err, os.Remove(tmp))
		}
		return nil
	}
	if !s.Truth("force") {
		if now.isLink() {
			return fmt.Errorf("Found existing symlink: %s", s.name)
		}
		return fmt.Errorf("Existing path is not a symlink: %s", s.name)
	}
	if now.st.IsDir() {
		return &fs.PathError{Op: "unlink", Path: s.name, Err: syscall.EISDIR}
	}
	if err := os.Remove(s.name); err != nil {
		return err
	}
	return s.create(s.name)
}

// create creates the link at a path. As in Salt, the error does not give the reason.
func (s *symlink) create(path string) error {
	if err := os.Symlink(s.target, path); err != nil {
		return fmt.Errorf("Could not create '%s'", path)
	}
	return nil
}
