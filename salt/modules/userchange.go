package modules

import (
	"bufio"
	"context"
	"os"
	"slices"
	"strings"
)

func init() {
	name := Arg{Name: "name", Required: true}
	const about = `Returns whether that is so then. root is the folder of another system.`
	Register("user",
		Function{
			Name: "add", Run: userAdd,
			Args: []Arg{
				name,
				{Name: "uid"},
				{Name: "gid"},
				{Name: "groups"},
				{Name: "home"},
				{Name: "shell"},
				{Name: "unique", Default: true},
				{Name: "system", Default: false},
				{Name: "fullname", Default: ""},
				{Name: "roomnumber", Default: ""},
				{Name: "workphone", Default: ""},
				{Name: "homephone", Default: ""},
				{Name: "other", Default: ""},
				{Name: "createhome", Default: true},
				{Name: "loginclass"},
				{Name: "nologinit", Default: false},
				rootArg,
				{Name: "usergroup"},
				{Name: "local", Default: false},
			},
			Doc: `
Add the user name with useradd. Returns whether it was added.

uid, gid, groups, home, shell
    as for useradd; groups is a list or has commas
unique : True
    False allows a uid in use
system : False
    a system account
fullname, roomnumber, workphone, homephone, other
    the fields of the comment
createhome : True
    create the home folder
nologinit : False
    do not add it to lastlog and faillog
usergroup
    True creates a group of its name, False none; by default as the system does
root
    the folder of another system
loginclass, local
    not supported; a call that sets one fails

CLI Example:

    salt '*' user.add name 1100 groups=wheel home=/srv/name shell=/bin/sh
`,
		},
		Function{
			Name: "delete", Run: userDelete,
			Args: []Arg{name, {Name: "remove", Default: false}, {Name: "force", Default: false}, rootArg},
			Doc: `
Delete the user name: with remove=True its home folder and mail too, with
force=True also when it is logged in. Returns whether it was deleted. root is the
folder of another system.

CLI Example:

    salt '*' user.delete name remove=True force=True
`,
		},
		Function{
			Name: "chgroups", Run: userChgroups,
			Args: []Arg{name, {Name: "groups", Required: true}, {Name: "append", Default: false}, rootArg},
			Doc: `
Set the groups of the user name (a list or with commas); append=True keeps its
other groups. ` + about + `

CLI Example:

    salt '*' user.chgroups foo wheel,root append=True
`,
		},
		Function{
			Name: "chhome", Run: userChange("home", "-d"),
			Args: []Arg{name, {Name: "home", Required: true}, {Name: "persist", Default: false}, rootArg},
			Doc: `
Change the home folder of the user name; persist=True moves the content of the
old one. ` + about + `

CLI Example:

    salt '*' user.chhome foo /home/users/foo True
`,
		},
		Function{
			Name: "rename", Args: []Arg{name, {Name: "new_name", Required: true}, rootArg}, Run: userRename,
			Doc: `
Rename the user name to new_name. ` + about + `

CLI Example:

    salt '*' user.rename name new_name
`,
		},
	)
	for _, ch := range []struct{ fun, key, param, what string }{
		{"chuid", "uid", "-u", "number"}, {"chgid", "gid", "-g", "primary group, by number"}, {"chshell", "shell", "-s", "shell"},
	} {
		Register("user", Function{
			Name: ch.fun, Args: []Arg{name, {Name: ch.key, Required: true}, rootArg}, Run: userChange(ch.key, ch.param),
			Doc: `
Give the user name another ` + ch.what + ` (` + ch.key + `). ` + about + `

CLI Example:

    salt '*' user.` + ch.fun + ` foo VALUE
`,
		})
	}
	for i, key := range gecosFields {
		Register("user", Function{
			Name: "ch" + key, Args: []Arg{name, {Name: key, Required: true}, rootArg}, Run: userGecos(i, key),
			Doc: `
Set the field ` + key + ` of the comment of the user name. ` + about + `

CLI Example:

    salt '*' user.ch` + key + ` foo VALUE
`,
		})
	}
}

// inRoot returns the arguments by which a program changes another root.
func inRoot(c *Call) []string {
	if root := c.Str("root"); root != "" {
		return []string{"-R", root}
	}
	return nil
}

func given(v any) bool { return v != nil && v != "" }

func userAdd(ctx context.Context, c *Call) (any, error) {
	name := c.Str("name")
	if given(c.Value("loginclass")) || c.IsTrue("local") {
		return nil, InvocationErrorf("user.add does not support the arguments loginclass and local")
	}
	if err := plainArg("the name of a user", name); err != nil {
		return nil, err
	}
	words := []string{"useradd"}
	for _, o := range [][2]string{{"shell", "-s"}, {"uid", "-u"}, {"gid", "-g"}} {
		if given(c.Value(o[0])) {
			words = append(words, o[1], c.Str(o[0]))
		}
	}
	groups := textList(c.Value("groups"))
	if !given(c.Value("gid")) {
		gid, err := c.ownGroup(ctx, name, groups)
		if err != nil {
			return nil, err
		}
		words = append(words, gid...)
	}
	if c.Value("usergroup") == false {
		words = append(words, "-N")
	}
	home := "-M"
	if c.IsTrue("createhome") {
		home = "-m"
	}
	words = append(words, home)
	if c.IsTrue("nologinit") {
		words = append(words, "-l")
	}
	if c.Value("home") != nil {
		words = append(words, "-d", c.Str("home"))
	}
	if !c.IsTrue("unique") {
		words = append(words, "-o")
	}
	if c.IsTrue("system") {
		words = append(words, "-r")
	}
	words = append(words, inRoot(c)...)
	r, err := c.exec(ctx, append(words, name)...)
	if err != nil {
		return nil, err
	}
	if r.retcode != 0 {
		logger(c.Env).Error("user not added", "user", name, "err", r.failed())
		return false, nil
	}
	return true, c.userDetails(ctx, name, groups)
}

// ownGroup returns useradd's arguments for the primary group of a user without one.
func (c *Call) ownGroup(ctx context.Context, name string, groups []string) ([]string, error) {
	if c.IsTrue("usergroup") {
		return []string{"-U"}, nil
	}
	if !slices.Contains(groups, name) || !usersHaveGroups() {
		return nil, nil
	}
	// useradd would fail, since the group exists already.
	g, ok, err := c.group(ctx, name, c.Str("root"))
	if err != nil || !ok {
		return nil, err
	}
	return []string{"-g", PyStr(g.gid)}, nil
}

// usersHaveGroups reports whether this system creates a group of the same name for each
// user.
func usersHaveGroups() bool {
	f, err := os.Open("/etc/login.defs")
	if err != nil {
		return false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := strings.TrimSpace(s.Text()); strings.HasPrefix(line, "USERGROUPS_ENAB") {
			return strings.Contains(line, "yes")
		}
	}
	return false
}

// userDetails sets what useradd does not. The user exists even if that fails.
func (c *Call) userDetails(ctx context.Context, name string, groups []string) error {
	if len(groups) > 0 {
		if ok, err := c.setGroups(ctx, name, groups, false); err != nil || !ok {
			logger(c.Env).Error("new user not added to all groups", "user", name, "groups", groups, "err", err)
		}
	}
	set := map[int]string{}
	for i, key := range gecosFields {
		if text := c.Str(key); text != "" {
			set[i] = text
		}
	}
	if len(set) == 0 {
		return nil
	}
	_, err := c.setGecos(ctx, name, set)
	return err
}

func userDelete(ctx context.Context, c *Call) (any, error) {
	words := []string{"userdel"}
	if c.IsTrue("remove") {
		words = append(words, "-r")
	}
	if c.IsTrue("force") {
		words = append(words, "-f")
	}
	words = append(words, inRoot(c)...)
	if err := plainArg("the name of a user", c.Str("name")); err != nil {
		return nil, err
	}
	r, err := c.exec(ctx, append(words, c.Str("name"))...)
	if err != nil {
		return nil, err
	}
	// On Debian, exit code 12 only means that there was no mail to remove.
	noMail := r.retcode == 12 && c.Env.Grains().String("os_family") == "Debian" &&
		(strings.Contains(r.stderr, "var/mail") || strings.Contains(r.stderr, "var/spool/mail"))
	return r.retcode == 0 || noMail, nil
}

func userChgroups(ctx context.Context, c *Call) (any, error) {
	return c.setGroups(ctx, c.Str("name"), textList(c.Value("groups")), c.IsTrue("append"))
}

// setGroups adds a user to groups.
func (c *Call) setGroups(ctx context.Context, name string, groups []string, add bool) (bool, error) {
	if err := plainArg("the name of a user", name); err != nil {
		return false, err
	}
	u, ok, err := c.account(ctx, name, c.Str("root"))
	if err != nil {
		return false, err
	}
	if ok {
		have, err := c.groupsOf(ctx, u, c.Str("root"))
		want := slices.Compact(slices.Sorted(slices.Values(groups)))
		if err != nil || slices.Equal(have, want) {
			return true, err
		}
	}
	words := []string{"usermod"}
	if add {
		words = append(words, "-a")
	}
	words = append(words, "-G", strings.Join(groups, ","))
	words = append(words, inRoot(c)...)
	r, err := c.exec(ctx, append(words, name)...)
	return r.retcode == 0, err
}

// mustAccount returns an account, or an error if it does not exist.
func (c *Call) mustAccount(ctx context.Context, name string) (passwd, error) {
	if err := plainArg("the name of a user", name); err != nil {
		return passwd{}, err
	}
	u, ok, err := c.account(ctx, name, c.Str("root"))
	if err == nil && !ok {
		err = CommandErrorf("User '%s' does not exist", name)
	}
	return u, err
}

// userChange returns a function that changes one property of a user with usermod.
func userChange(key, param string) func(context.Context, *Call) (any, error) {
	field := func(u passwd) string {
		switch key {
		case "uid":
			return PyStr(u.uid)
		case "gid":
			return PyStr(u.gid)
		case "home":
			return u.home
		}
		return u.shell
	}
	return func(ctx context.Context, c *Call) (any, error) {
		want := c.Str(key)
		u, err := c.mustAccount(ctx, c.Str("name"))
		if err != nil || field(u) == want {
			return true, err
		}
		words := append([]string{"usermod"}, inRoot(c)...)
		if c.IsTrue("persist") {
			words = append(words, "-m")
		}
		if _, err := c.exec(ctx, append(words, param, want, u.name)...); err != nil {
			return nil, err
		}
		u, err = c.mustAccount(ctx, u.name)
		return field(u) == want, err
	}
}

func userRename(ctx context.Context, c *Call) (any, error) {
	to := c.Str("new_name")
	if err := plainArg("the name of a user", to); err != nil {
		return nil, err
	}
	if _, ok, err := c.account(ctx, to, c.Str("root")); err != nil || ok {
		if err == nil {
			err = CommandErrorf("User '%s' already exists", to)
		}
		return nil, err
	}
	u, err := c.mustAccount(ctx, c.Str("name"))
	if err != nil {
		return nil, err
	}
	words := append([]string{"usermod"}, inRoot(c)...)
	if _, err := c.exec(ctx, append(words, "-l", to, u.name)...); err != nil {
		return nil, err
	}
	_, ok, err := c.account(ctx, to, c.Str("root"))
	return ok, err
}

func userGecos(i int, key string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		return c.setGecos(ctx, c.Str("name"), map[int]string{i: c.Str(key)})
	}
}

// setGecos sets fields of a user's comment.
func (c *Call) setGecos(ctx context.Context, name string, set map[int]string) (bool, error) {
	u, err := c.mustAccount(ctx, name)
	if err != nil {
		return false, err
	}
	now := gecos(u)
	want := slices.Clone(now)
	for i, text := range set {
		want[i] = text
	}
	if slices.Equal(now, want) {
		return true, nil
	}
	words := append([]string{"usermod"}, inRoot(c)...)
	if _, err := c.exec(ctx, append(words, "-c", strings.TrimRight(strings.Join(want, ","), ","), name)...); err != nil {
		return false, err
	}
	u, err = c.mustAccount(ctx, name)
	return slices.Equal(gecos(u), want), err
}
