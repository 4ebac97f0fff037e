package modules

import (
	"context"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

func init() {
	name := Arg{Name: "name", Required: true}
	user := Arg{Name: "username", Required: true}
	const about = `root is the folder of another system.`
	Register("group",
		Function{Name: "info", Args: []Arg{name, rootArg}, Run: groupInfo, Doc: `
Return the group name as a map, empty if the group does not exist. ` + about + `

CLI Example:

    salt '*' group.info foo
`},
		Function{Name: "getent", Args: []Arg{{Name: "refresh", Default: false}, rootArg}, Run: groupGetent, Doc: `
List all groups with their attributes. refresh is ignored: the list is always
current. ` + about + `

CLI Example:

    salt '*' group.getent
`},
		Function{
			Name: "add", Run: groupAdd,
			Args: []Arg{name, {Name: "gid"}, {Name: "system", Default: false}, rootArg, {Name: "non_unique", Default: false}, {Name: "local", Default: false}},
			Doc: `
Add the group name, with the number gid (non_unique=True allows a number in
use), as a system group with system=True. Returns whether it was added. local is
not supported; a call that sets it fails. ` + about + `

CLI Example:

    salt '*' group.add foo 3456
`,
		},
		Function{Name: "delete", Args: []Arg{name, rootArg}, Run: groupDelete, Doc: `
Delete the group name. Returns whether it was deleted. ` + about + `

CLI Example:

    salt '*' group.delete foo
`},
		Function{
			Name: "chgid", Run: groupChgid,
			Args: []Arg{name, {Name: "gid", Required: true}, rootArg, {Name: "non_unique", Default: false}},
			Doc: `
Change the number of the group name to gid (non_unique=True allows a number in
use). Returns whether that succeeded. ` + about + `

CLI Example:

    salt '*' group.chgid foo 4376
`,
		},
		Function{Name: "adduser", Args: []Arg{name, user, rootArg}, Run: groupMember("--add"), Doc: `
Add a user (username) to the group name. Returns whether that succeeded. ` + about + `

CLI Example:

    salt '*' group.adduser foo bar
`},
		Function{Name: "deluser", Args: []Arg{name, user, rootArg}, Run: groupMember("--del"), Doc: `
Remove a user (username) from the group name. Returns whether that succeeded. ` + about + `

CLI Example:

    salt '*' group.deluser foo bar
`},
		Function{Name: "members", Args: []Arg{name, {Name: "members_list", Required: true}, rootArg}, Run: groupMembers, Doc: `
Set the members of the group name to members_list (users with commas). Returns
whether that succeeded. ` + about + `

CLI Example:

    salt '*' group.members foo 'user1,user2,user3'
`},
	)
}

func groupInfo(ctx context.Context, c *Call) (any, error) {
	g, ok, err := c.group(ctx, c.Str("name"), c.Str("root"))
	if err != nil || !ok {
		return value.NewMap(), err
	}
	return groupMap(g), nil
}

func groupGetent(ctx context.Context, c *Call) (any, error) {
	all, err := c.groups(ctx, c.Str("root"))
	out := []any{}
	for _, g := range all {
		out = append(out, groupMap(g))
	}
	return out, err
}

// succeeds runs a program and reports whether its exit code is 0.
func (c *Call) succeeds(ctx context.Context, words ...string) (any, error) {
	r, err := c.exec(ctx, words...)
	if err == nil && r.retcode != 0 {
		logger(c.Env).Error("program failed", "program", words[0], "retcode", r.retcode, "err", r.failed())
	}
	return r.retcode == 0, err
}

func groupAdd(ctx context.Context, c *Call) (any, error) {
	if c.IsTrue("local") {
		return nil, InvocationErrorf("group.add does not support the argument local")
	}
	if err := plainArg("the name of a group", c.Str("name")); err != nil {
		return nil, err
	}
	words := []string{"groupadd"}
	if given(c.Value("gid")) {
		words = append(words, "-g", c.Str("gid"))
		if c.IsTrue("non_unique") {
			words = append(words, "-o")
		}
	}
	if c.IsTrue("system") {
		words = append(words, "-r")
	}
	words = append(words, inRoot(c)...)
	return c.succeeds(ctx, append(words, c.Str("name"))...)
}

func groupDelete(ctx context.Context, c *Call) (any, error) {
	if err := plainArg("the name of a group", c.Str("name")); err != nil {
		return nil, err
	}
	words := append([]string{"groupdel"}, inRoot(c)...)
	return c.succeeds(ctx, append(words, c.Str("name"))...)
}

func groupChgid(ctx context.Context, c *Call) (any, error) {
	want, err := c.Int("gid")
	if err != nil {
		return nil, err
	}
	g, ok, err := c.group(ctx, c.Str("name"), c.Str("root"))
	switch {
	case err != nil || !ok:
		return false, err
	case g.gid == want:
		return true, nil
	}
	words := append([]string{"groupmod"}, inRoot(c)...)
	if c.IsTrue("non_unique") {
		words = append(words, "-o")
	}
	if _, err := c.exec(ctx, append(words, "-g", PyStr(want), g.name)...); err != nil {
		return nil, err
	}
	g, _, err = c.group(ctx, g.name, c.Str("root"))
	return g.gid == want, err
}

// inGpasswd returns the arguments of gpasswd for another root.
func inGpasswd(c *Call) []string {
	if root := c.Str("root"); root != "" {
		return []string{"--root", root}
	}
	return nil
}

func groupMember(how string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		name, user := c.Str("name"), c.Str("username")
		if err := plainArgs("the name of a group or user", []string{name, user}); err != nil {
			return nil, err
		}
		if how == "--del" {
			g, _, err := c.group(ctx, name, c.Str("root"))
			if err != nil || !slices.Contains(g.members, user) {
				return true, err
			}
		}
		words := append([]string{"gpasswd"}, inGpasswd(c)...)
		return c.succeeds(ctx, append(words, how, user, name)...)
	}
}

func groupMembers(ctx context.Context, c *Call) (any, error) {
	name, list := c.Str("name"), strings.Join(textList(c.Value("members_list")), ",")
	if err := plainArg("the name of a group", name); err != nil {
		return nil, err
	}
	words := append([]string{"gpasswd"}, inGpasswd(c)...)
	return c.succeeds(ctx, append(words, "--members", list, name)...)
}
