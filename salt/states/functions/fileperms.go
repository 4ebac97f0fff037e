package functions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// owners are the wanted owner and mode of a path; nil and "" leave them unchanged.
type owners struct {
	user, group any
	mode        string
}

// owns reports whether a path has the wanted owner; one that is not set matches.
func (o owners) owns(i info) (user, group bool) {
	if !hasOwners {
		return true, true
	}
	user = !given(o.user) || pystr(o.user) == i.user || pystr(o.user) == strconv.Itoa(i.uid)
	group = !given(o.group) || pystr(o.group) == i.group || pystr(o.group) == strconv.Itoa(i.gid)
	return user, group
}

// checkPerms sets owner and mode of a path, and adds what changed to the result.
func (c *Call) checkPerms(path string, res *states.Result, o owners, follow bool) error {
	cur, err := infoOf(path, follow)
	if err != nil {
		return err
	}
	var comments []string
	if res.Comment != "" {
		comments = append(comments, res.Comment)
	}
	fails := func(format string, a ...any) {
		res.Result = false
		comments = append(comments, fmt.Sprintf(format, a...))
	}
	userOK, groupOK := o.owns(cur)
	if (!userOK || !groupOK) && !c.Test {
		if err := c.chown(path, cur, o, follow); err != nil {
			fails("%s", osError(err))
		}
	}
	modeMatters := hasOwners && o.mode != "" && (follow || !cur.isLink())
	if modeMatters && o.mode != cur.mode && !c.Test {
		if err := setMode(path, o.mode); err != nil {
			return err
		}
	}
	post, err := infoOf(path, follow)
	if err != nil {
		return err
	}
	isUser, isGroup := o.owns(post)
	note := func(key string, want any, was, is bool) {
		switch {
		case is && !was, !is && c.Test:
			res.Changes.Set(key, want)
		case !is:
			fails("Failed to change %s to %s", key, pystr(want))
		}
	}
	note("user", o.user, userOK, isUser)
	note("group", o.group, groupOK, isGroup)
	if modeMatters {
		note("mode", o.mode, o.mode == cur.mode, o.mode == post.mode)
	}
	res.Comment = strings.Join(comments, "; ")
	if c.Test && res.Changes.Len() > 0 {
		res.Result = nil
	}
	return nil
}

// chown sets the owner of a path. A change of owner clears the set-user-ID bit, so it sets
// the mode again.
func (c *Call) chown(path string, cur info, o owners, follow bool) error {
	uid, gid := cur.uid, cur.gid
	if given(o.user) {
		n, ok := uidOf(o.user)
		if !ok {
			return errors.New("User does not exist")
		}
		uid = n
	}
	if given(o.group) {
		n, ok := gidOf(o.group)
		if !ok {
			return errors.New("Group does not exist")
		}
		gid = n
	}
	if cur.isLink() && !follow {
		return os.Lchown(path, uid, gid)
	}
	if err := os.Chown(path, uid, gid); err != nil {
		return err
	}
	return setMode(path, cur.mode)
}

// makeParents creates the missing folders above a path, each with the owner and mode. Like
// Salt's file.makedirs, it accepts a file directly above the path, and fails for one higher
// up.
func (c *Call) makeParents(path string, o owners) error {
	dir := filepath.Dir(path)
	if exists(dir) {
		return nil
	}
	return c.makeFolders(dir, isDir, o)
}

// makeFolders creates a folder and its missing parents.
func (c *Call) makeFolders(dir string, there func(string) bool, o owners) error {
	var missing []string
	for ; !there(dir) && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) { // a volume may be missing
		missing = append(missing, dir)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := c.mkdir(missing[i], o); err != nil {
			return err
		}
	}
	return nil
}

// mkdir creates one folder.
func (c *Call) mkdir(dir string, o owners) error {
	if err := os.Mkdir(dir, 0o777); err != nil && !isDir(dir) {
		return err
	}
	return c.checkPerms(dir, &states.Result{Result: true, Changes: value.NewMap()}, o, false)
}

// searchable returns the mode of a folder for files of a mode: read permission adds execute
// permission.
func searchable(mode string) string {
	if len(mode) < 3 {
		return ""
	}
	var b strings.Builder
	for _, d := range mode[len(mode)-3:] {
		if d != '0' {
			d |= 1
		}
		b.WriteRune(d)
	}
	return b.String()
}
