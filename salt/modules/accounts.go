package modules

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// passwd is a line of /etc/passwd.
type passwd struct {
	name, secret, gecos, home, shell string
	uid, gid                         int64
}

// groupLine is a line of /etc/group.
type groupLine struct {
	name, secret string
	gid          int64
	members      []string
}

// accountFile returns the path of an account database, on this host or below a root.
func accountFile(root, name string) string { return filepath.Join("/", root, "etc", name) }

// fields splits the lines of a database at colons.
func fields(data []byte, least int) [][]string {
	var out [][]string
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		parts := strings.Split(strings.TrimSpace(s.Text()), ":")
		if len(parts) >= least && parts[0] != "" && parts[0][0] != '#' && parts[0][0] != '+' {
			out = append(out, parts)
		}
	}
	return out
}

func number10(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return -1 // as the C library does for an empty field
	}
	return n
}

// passwds returns all accounts: from the files below root, or with root "" from getent, if
// the host has it.
func (c *Call) passwds(ctx context.Context, root string) ([]passwd, error) {
	data, err := c.database(ctx, root, "passwd", "")
	var out []passwd
	for _, f := range fields(data, 7) {
		out = append(out, passwd{f[0], f[1], f[4], f[5], f[6], number10(f[2]), number10(f[3])})
	}
	return out, err
}

// groups returns all groups.
func (c *Call) groups(ctx context.Context, root string) ([]groupLine, error) {
	data, err := c.database(ctx, root, "group", "")
	return groupLines(data), err
}

func groupLines(data []byte) []groupLine {
	var out []groupLine
	for _, f := range fields(data, 4) {
		g := groupLine{f[0], f[1], number10(f[2]), nil}
		for m := range strings.SplitSeq(f[3], ",") {
			if m != "" {
				g.members = append(g.members, m)
			}
		}
		out = append(out, g)
	}
	return out
}

// database returns the lines of an account database, or those for one key. getent also asks
// the services of /etc/nsswitch.conf, such as LDAP.
func (c *Call) database(ctx context.Context, root, name, key string) ([]byte, error) {
	data, err := os.ReadFile(accountFile(root, name))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil || root != "" || which("getent") == "" || key != "" && known(data, key) {
		return data, err
	}
	words := []string{"getent", name}
	if key != "" {
		words = append(words, "--", key)
	}
	r, err := c.exec(ctx, words...)
	if err != nil {
		return nil, err
	}
	if r.retcode == 0 {
		return []byte(r.stdout + "\n"), nil
	}
	return data, nil
}

// known reports whether a database has a key.
func known(data []byte, key string) bool {
	return slices.ContainsFunc(fields(data, 3), func(f []string) bool { return f[0] == key })
}

// account returns one account; ok is false if it does not exist.
func (c *Call) account(ctx context.Context, name, root string) (passwd, bool, error) {
	data, err := c.database(ctx, root, "passwd", name)
	for _, f := range fields(data, 7) {
		if f[0] == name {
			return passwd{f[0], f[1], f[4], f[5], f[6], number10(f[2]), number10(f[3])}, true, err
		}
	}
	return passwd{}, false, err
}

// group returns one group; ok is false if it does not exist.
func (c *Call) group(ctx context.Context, name, root string) (groupLine, bool, error) {
	data, err := c.database(ctx, root, "group", name)
	for _, g := range groupLines(data) {
		if g.name == name {
			return g, true, err
		}
	}
	return groupLine{}, false, err
}

// groupsOf returns the names of a user's groups, sorted.
func (c *Call) groupsOf(ctx context.Context, u passwd, root string) ([]string, error) {
	all, err := c.groups(ctx, root)
	var out []string
	for _, g := range all {
		if g.gid == u.gid || slices.Contains(g.members, u.name) {
			out = append(out, g.name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// gecosFields are the parts of an account's comment.
var gecosFields = []string{"fullname", "roomnumber", "workphone", "homephone", "other"}

// gecos splits the comment of an account into its five parts.
func gecos(u passwd) []string {
	parts := strings.SplitN(u.gecos, ",", len(gecosFields))
	for len(parts) < len(gecosFields) {
		parts = append(parts, "")
	}
	return parts
}

// userMap returns an account in the form of user.info.
func (c *Call) userMap(ctx context.Context, u passwd, root string) (*value.Map, error) {
	groups, err := c.groupsOf(ctx, u, root)
	if err != nil {
		return nil, err
	}
	m := value.NewMap("gid", u.gid, "groups", wire.AnyList(groups), "home", u.home, "name", u.name,
		"passwd", u.secret, "shell", u.shell, "uid", u.uid)
	for i, part := range gecos(u) {
		m.Set(gecosFields[i], part)
	}
	return m, nil
}

func groupMap(g groupLine) *value.Map {
	return value.NewMap("name", g.name, "passwd", g.secret, "gid", g.gid, "members", wire.AnyList(g.members))
}
