package functions

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/posix"
)

// info describes a path.
type info struct {
	uid, gid    int
	user, group string
	mode        string // in Salt's form: "0644"
	st          fs.FileInfo
}

func (i info) isLink() bool { return i.st.Mode()&fs.ModeSymlink != 0 }

// infoOf returns the attributes of a path.
func infoOf(path string, follow bool) (info, error) {
	look := os.Lstat
	if follow {
		look = os.Stat
	}
	st, err := look(path)
	if err != nil {
		return info{}, err
	}
	i := info{st: st, mode: normalMode(strconv.FormatUint(uint64(unixMode(st.Mode())), 8))}
	if uid, gid, ok := posix.Owner(st); ok {
		i.uid, i.gid = uid, gid
		i.user, i.group = userName(i.uid), groupName(i.gid)
	}
	return i, nil
}

// unixMode converts a mode to Unix permission bits.
func unixMode(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	for flag, bit := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if m&flag != 0 {
			bits |= bit
		}
	}
	return bits
}

// fileMode converts Unix permission bits to a mode.
func fileMode(bits uint32) fs.FileMode {
	m := fs.FileMode(bits & 0o777)
	for flag, bit := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if bits&bit != 0 {
			m |= flag
		}
	}
	return m
}

// userName returns the name of a user id, or the id as text.
func userName(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return strconv.Itoa(uid)
}

func groupName(gid int) string {
	if g, err := user.LookupGroupId(strconv.Itoa(gid)); err == nil {
		return g.Name
	}
	return strconv.Itoa(gid)
}

// uidOf returns the id of a user given by name or id.
func uidOf(v any) (int, bool) {
	if n, ok := v.(int64); ok {
		return int(n), true
	}
	if u, err := user.Lookup(pystr(v)); err == nil {
		n, err := strconv.Atoi(u.Uid)
		return n, err == nil
	}
	return 0, false
}

func gidOf(v any) (int, bool) {
	if n, ok := v.(int64); ok {
		return int(n), true
	}
	if g, err := user.LookupGroup(pystr(v)); err == nil {
		n, err := strconv.Atoi(g.Gid)
		return n, err == nil
	}
	return 0, false
}

// normalMode converts a mode to Salt's form: four octal digits.
func normalMode(s string) string {
	s = strings.ReplaceAll(s, "0o", "0")
	s = strings.Trim(s, `"'`)
	s = strings.TrimLeft(s, "0")
	return strings.Repeat("0", max(0, 4-len(s))) + s
}

// modeOf parses the mode of a state; "" if not set. It returns an error if it is not octal.
func modeOf(v any) (string, error) {
	if v == nil || v == "" {
		return "", nil
	}
	mode := normalMode(pystr(v))
	if n, err := strconv.ParseUint(mode, 8, 32); err != nil || n > 0o7777 {
		return "", fmt.Errorf("'%s' is not a file mode; use octal digits such as 0644", pystr(v))
	}
	return mode, nil
}

// setMode sets the mode of a path, in Salt's form.
func setMode(path, mode string) error {
	n, err := strconv.ParseUint(mode, 8, 32)
	if err != nil {
		return err
	}
	return os.Chmod(path, fileMode(uint32(n)))
}

// expand replaces a leading ~ by the home folder.
func expand(name string) string {
	rest, ok := strings.CutPrefix(name, "~")
	if !ok {
		return name
	}
	who, path, _ := strings.Cut(rest, "/")
	home, err := os.UserHomeDir()
	if who != "" {
		u, lookup := user.Lookup(who)
		if err = lookup; err == nil {
			home = u.HomeDir
		}
	}
	if err != nil {
		return name
	}
	return strings.TrimSuffix(filepath.Join(home, path), "/")
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

func isLink(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.Mode()&fs.ModeSymlink != 0
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func lexists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// checkUser returns a message for a user or group that does not exist, else "". In a test
// run, an earlier state may still create them.
func (c *Call) checkUser(user, group any) string {
	msg := ""
	if given(user) {
		if _, ok := uidOf(user); !ok {
			msg += fmt.Sprintf("User %s is not available ", pystr(user))
		}
	}
	if given(group) {
		if _, ok := gidOf(group); !ok {
			msg += fmt.Sprintf("Group %s is not available", pystr(group))
		}
	}
	if c.Test {
		return ""
	}
	return msg
}

// given reports whether an owner is set; the number 0 is root.
func given(v any) bool {
	_, number := v.(int64)
	return number || v != nil && v != "" && v != false
}
