package modules

import (
	"context"
	"slices"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

var rootArg = Arg{Name: "root"}

func init() {
	name := Arg{Name: "name", Required: true}
	Register("user",
		Function{Name: "info", Args: []Arg{name, rootArg}, Run: userInfo, Doc: `
Return the user name as a map, empty if the user does not exist. root is
the folder of another system.

CLI Example:

    salt '*' user.info root
`},
		Function{Name: "getent", Args: []Arg{{Name: "refresh", Default: false}, rootArg}, Run: userGetent, Doc: `
List all users with their attributes. refresh is ignored: the list is always
current. root is the folder of another system.

CLI Example:

    salt '*' user.getent
`},
		Function{Name: "list_users", Args: []Arg{rootArg}, Run: userList, Doc: `
List the names of all users. root is the folder of another system.

CLI Example:

    salt '*' user.list_users
`},
		Function{Name: "list_groups", Args: []Arg{name}, Run: userGroups, Doc: `
List the groups that the user name is in.

CLI Example:

    salt '*' user.list_groups foo
`},
		Function{Name: "primary_group", Args: []Arg{name}, Run: userPrimary, Doc: `
Return the primary group of the user name.

CLI Example:

    salt '*' user.primary_group saltadmin
`},
	)
}

func userInfo(ctx context.Context, c *Call) (any, error) {
	u, ok, err := c.account(ctx, c.Str("name"), c.Str("root"))
	if err != nil || !ok {
		return value.NewMap(), err
	}
	return c.userMap(ctx, u, c.Str("root"))
}

func userGetent(ctx context.Context, c *Call) (any, error) {
	all, err := c.passwds(ctx, c.Str("root"))
	if err != nil {
		return nil, err
	}
	out := []any{}
	for _, u := range all {
		m, err := c.userMap(ctx, u, c.Str("root"))
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

func userList(ctx context.Context, c *Call) (any, error) {
	all, err := c.passwds(ctx, c.Str("root"))
	names := []string{}
	for _, u := range all {
		names = append(names, u.name)
	}
	slices.Sort(names)
	return wire.AnyList(names), err
}

func userGroups(ctx context.Context, c *Call) (any, error) {
	u, ok, err := c.account(ctx, c.Str("name"), "")
	if err != nil || !ok {
		return []any{}, err
	}
	names, err := c.groupsOf(ctx, u, "")
	return wire.AnyList(names), err
}

func userPrimary(ctx context.Context, c *Call) (any, error) {
	u, ok, err := c.account(ctx, c.Str("name"), "")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, CommandErrorf("User '%s' does not exist", c.Str("name"))
	}
	all, err := c.groups(ctx, "")
	for _, g := range all {
		if g.gid == u.gid {
			return g.name, err
		}
	}
	return nil, err
}
