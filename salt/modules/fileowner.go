package modules

import (
	"context"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/posix"
)

func init() {
	path := Arg{Name: "path", Required: true}
	follow := Arg{Name: "follow_symlinks", Default: true}
	const links = `follow_symlinks=False describes a link itself.`
	Register("file",
		Function{Name: "uid_to_user", Args: []Arg{{Name: "uid", Required: true}}, Run: fileUIDToUser, Doc: `
Return the name of the user with the number uid, "" if no user has it.

CLI Example:

    salt '*' file.uid_to_user 0
`},
		Function{Name: "user_to_uid", Args: []Arg{{Name: "user"}}, Run: fileUserToUID, Doc: `
Return the number of a user, "" if the user does not exist.

CLI Example:

    salt '*' file.user_to_uid root
`},
		Function{Name: "gid_to_group", Args: []Arg{{Name: "gid", Required: true}}, Run: fileGIDToGroup, Doc: `
Return the name of the group with the number gid, "" if no group has it.

CLI Example:

    salt '*' file.gid_to_group 0
`},
		Function{Name: "group_to_gid", Args: []Arg{{Name: "group"}}, Run: fileGroupToGID, Doc: `
Return the number of a group, "" if the group does not exist.

CLI Example:

    salt '*' file.group_to_gid root
`},
		Function{Name: "get_uid", Args: []Arg{path, follow}, Run: fileStat(func(s *posix.Stat) any { return int64(s.Uid) }), Doc: `
Return the number of the user that owns path. ` + links + `

CLI Example:

    salt '*' file.get_uid /etc/passwd
`},
		Function{Name: "get_gid", Args: []Arg{path, follow}, Run: fileStat(func(s *posix.Stat) any { return int64(s.Gid) }), Doc: `
Return the number of the group that owns path. ` + links + `

CLI Example:

    salt '*' file.get_gid /etc/passwd
`},
		Function{Name: "get_user", Args: []Arg{path, follow}, Run: fileStat(func(s *posix.Stat) any { return userName(s.Uid) }), Doc: `
Return the user that owns path. ` + links + `

CLI Example:

    salt '*' file.get_user /etc/passwd
`},
		Function{Name: "get_group", Args: []Arg{path, follow}, Run: fileStat(func(s *posix.Stat) any { return groupName(s.Gid) }), Doc: `
Return the group that owns path. ` + links + `

CLI Example:

    salt '*' file.get_group /etc/passwd
`},
		Function{Name: "get_mode", Args: []Arg{path, follow}, Run: fileStat(func(s *posix.Stat) any { return octalMode(s.Mode) }), Doc: `
Return the mode of path in octal digits. ` + links + `

CLI Example:

    salt '*' file.get_mode /etc/passwd
`},
		Function{Name: "set_mode", Args: []Arg{path, {Name: "mode", Required: true}}, Run: fileSetMode, Doc: `
Set the mode of path, in octal digits. Returns the new mode.

CLI Example:

    salt '*' file.set_mode /etc/passwd 0644
`},
		Function{Name: "chown", Args: []Arg{path, {Name: "user", Required: true}, {Name: "group", Required: true}}, Run: fileChown(os.Chown), Doc: `
Set the user and group of path, by name or number; "" leaves one unchanged.
Returns an error message, or None.

CLI Example:

    salt '*' file.chown /etc/passwd root root
`},
		Function{Name: "lchown", Args: []Arg{path, {Name: "user", Required: true}, {Name: "group", Required: true}}, Run: fileChown(os.Lchown), Doc: `
Set the user and group of path, for a link itself, by name or number; "" leaves
one unchanged. Returns an error message, or None.

CLI Example:

    salt '*' file.lchown /etc/passwd root root
`},
		Function{Name: "chgrp", Args: []Arg{path, {Name: "group", Required: true}}, Run: fileChown(os.Chown), Doc: `
Set the group of path, by name or number. Returns an error message, or None.

CLI Example:

    salt '*' file.chgrp /etc/passwd root
`},
	)
}

// expand replaces a leading ~ of a path by the home folder.
func expand(path string) string {
	if !strings.HasPrefix(path, "~") {
		return path
	}
	name, rest, _ := strings.Cut(path[1:], "/")
	home := ""
	if name == "" {
		home, _ = os.UserHomeDir()
	} else if u, err := user.Lookup(name); err == nil {
		home = u.HomeDir
	}
	if home == "" {
		return path
	}
	return filepath.Join(home, rest)
}

// path returns a path argument.
func (c *Call) path(name string) string { return expand(c.Str(name)) }

// osFault converts a system error to the form users of Salt read.
func osFault(err error) error {
	if err == nil {
		return nil
	}
	return CommandErrorf("%s", pythonOSError(err))
}

// statOf returns the attributes of a path.
func statOf(path string, follow bool) (fs.FileInfo, *posix.Stat, error) {
	look := os.Stat
	if !follow {
		look = os.Lstat
	}
	st, err := look(path)
	if err != nil {
		if os.IsNotExist(err) {
			return nil, nil, CommandErrorf("Path not found: %s", path)
		}
		return nil, nil, osFault(err)
	}
	sys, ok := posix.StatOf(st)
	if !ok {
		return nil, nil, CommandErrorf("%s: this system reports no file attributes", path)
	}
	return st, sys, nil
}

func fileStat(of func(*posix.Stat) any) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		_, sys, err := statOf(c.path("path"), c.IsTrue("follow_symlinks"))
		if err != nil {
			if c.fn.Name == "get_mode" && os.IsNotExist(err) {
				return "", nil
			}
			return nil, err
		}
		return of(sys), nil
	}
}

func userName(uid uint32) string {
	u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10))
	if err != nil {
		return strconv.FormatUint(uint64(uid), 10) // as in Salt, the number stands for a user without a name
	}
	return u.Username
}

func groupName(gid uint32) string {
	g, err := user.LookupGroupId(strconv.FormatUint(uint64(gid), 10))
	if err != nil {
		return strconv.FormatUint(uint64(gid), 10)
	}
	return g.Name
}

func fileUIDToUser(_ context.Context, c *Call) (any, error) {
	u, err := user.LookupId(c.Str("uid"))
	if err != nil {
		return "", nil //nolint:nilerr // nobody has the number
	}
	return u.Username, nil
}

// idOf returns the number of a user or group; a number is returned unchanged.
func idOf(v any, lookup func(string) (string, error)) any {
	if n, ok := Integer(v); ok {
		return n
	}
	id, err := lookup(PyStr(v))
	if err != nil {
		return ""
	}
	return number10(id)
}

func uidOf(name string) (string, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return "", err
	}
	return u.Uid, nil
}

func gidOf(name string) (string, error) {
	g, err := user.LookupGroup(name)
	if err != nil {
		return "", err
	}
	return g.Gid, nil
}

func fileUserToUID(_ context.Context, c *Call) (any, error) {
	if c.Value("user") == nil {
		return int64(os.Geteuid()), nil
	}
	return idOf(c.Value("user"), uidOf), nil
}

func fileGIDToGroup(_ context.Context, c *Call) (any, error) {
	if _, number := Integer(c.Value("gid")); !number {
		if _, err := user.LookupGroup(c.Str("gid")); err == nil {
			return c.Str("gid"), nil
		}
		return "", nil
	}
	g, err := user.LookupGroupId(c.Str("gid"))
	if err != nil {
		return "", nil //nolint:nilerr // no group has the number
	}
	return g.Name, nil
}

func fileGroupToGID(_ context.Context, c *Call) (any, error) {
	if c.Value("group") == nil || c.Value("group") == "" {
		return "", nil
	}
	return idOf(c.Value("group"), gidOf), nil
}

// modeArg parses a mode in octal digits. The digits of a number are read as octal, since
// YAML and the command line turn 0644 and 644 into numbers.
func modeArg(v any) (fs.FileMode, error) {
	text := strings.TrimPrefix(PyStr(v), "0o")
	n, err := strconv.ParseUint(text, 8, 16)
	if err != nil || n > 0o7777 {
		return 0, InvocationErrorf("the mode %s is not in octal digits", PyRepr(v))
	}
	return fileMode(int64(n)), nil
}

func fileSetMode(_ context.Context, c *Call) (any, error) {
	path := c.path("path")
	mode, err := modeArg(c.Value("mode"))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, CommandErrorf("%s: File not found", path)
	}
	if err := os.Chmod(path, mode); err != nil {
		return "Invalid Mode " + c.Str("mode"), nil //nolint:nilerr // Salt's result
	}
	_, sys, err := statOf(path, true)
	if err != nil {
		return nil, err
	}
	return octalMode(sys.Mode), nil
}

func fileChown(change func(string, int, int) error) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		path, uid, gid := c.path("path"), -1, -1
		var faults []string
		for arg, id := range map[string]*int{"user": &uid, "group": &gid} {
			v := c.Value(arg)
			if v == nil || v == "" {
				continue
			}
			lookup := uidOf
			if arg == "group" {
				lookup = gidOf
			}
			n, ok := idOf(v, lookup).(int64)
			if !ok {
				faults = append(faults, map[string]string{"user": "User does not exist", "group": "Group does not exist"}[arg])
				continue
			}
			*id = int(n)
		}
		if _, err := os.Lstat(path); err != nil {
			faults = append(faults, "File not found")
		}
		if len(faults) > 0 {
			return strings.Join(faults, "\n"), nil
		}
		return nil, osFault(change(path, uid, gid))
	}
}
