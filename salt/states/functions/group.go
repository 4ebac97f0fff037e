package functions

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	name := states.Arg{Name: "name", Required: true}
	Register("group",
		Function{
			Name: "present", Run: groupPresent,
			Spec: states.Spec{Args: []states.Arg{
				name,
				{Name: "gid"},
				{Name: "system", Default: false},
				{Name: "addusers"},
				{Name: "delusers"},
				{Name: "members"},
				{Name: "non_unique", Default: false},
			}},
			Doc: `
Ensure that the group name exists, with the number gid (non_unique allows a
number in use) and exactly these members; or with addusers as members and
delusers not. system makes it a system group.

    staff:
      group.present:
        - gid: 7648
        - addusers: [user1]
`,
		},
		Function{Name: "absent", Spec: states.Spec{Args: []states.Arg{name}}, Run: groupAbsent, Doc: `
Ensure that the group name does not exist.

    staff:
      group.absent: []
`},
	)
}

// groupChanges returns the changes of a group; there is false if it does not exist.
func (c *Call) groupChanges(ctx context.Context) (changes *value.Map, there bool, err error) {
	g, err := c.mapOf(ctx, "group.info", c.Name())
	if err != nil || g.Len() == 0 {
		return nil, false, err
	}
	out := value.NewMap()
	if pyfmt.Truth(c.Value("gid")) {
		gid, err := strconv.ParseInt(modules.PyStr(c.Value("gid")), 10, 64)
		if err != nil {
			return nil, true, &modules.CommandError{Msg: "Invalid gid"}
		}
		if g.Int("gid") != gid {
			out.Set("gid", gid)
		}
	}
	have, want := texts(g.List("members")), texts(c.Value("members"))
	if c.Value("members") != nil && !slices.Equal(sorted(have), sorted(want)) {
		if len(want) == 0 {
			out.Set("delusers", texted(have))
		} else {
			out.Set("members", texted(want))
		}
	}
	for arg, missing := range map[string]bool{"addusers": true, "delusers": false} {
		users := slices.DeleteFunc(texts(c.Value(arg)), func(u string) bool { return slices.Contains(have, u) == missing })
		if len(users) > 0 {
			out.Set(arg, texted(users))
		}
	}
	return out, true, nil
}

// sorted returns a list of unique strings in order.
func sorted(list []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

func groupPresent(ctx context.Context, c *Call) (*states.Result, error) {
	name, r := c.Name(), outcome(c)
	r.Comment = "Group " + name + " is present and up to date"
	add, del := texts(c.Value("addusers")), texts(c.Value("delusers"))
	if c.Value("members") != nil && (c.Value("addusers") != nil || c.Value("delusers") != nil) {
		return says(r, nil, "Error: Conflicting options \"members\" with \"addusers\" and/or \"delusers\" can not be used together. ")
	}
	if slices.ContainsFunc(add, func(u string) bool { return slices.Contains(del, u) }) {
		return says(r, nil, "Error. Same user(s) can not be added and deleted simultaneously")
	}
	changes, there, err := c.groupChanges(ctx)
	if text, failed := work(err); failed {
		return says(r, false, "%s", text)
	}
	switch {
	case err != nil:
		return nil, err
	case !there:
		return c.groupNew(ctx, r)
	case changes.Len() == 0:
		return r, nil
	}
	r.Comment = "The following group attributes are set to be changed:\n"
	changes.Range(func(k, v any) bool {
		text := modules.PyStr(v)
		if k == "delusers" && c.Value("members") != nil {
			text = "{" + text[1:len(text)-1] + "}" // a set in Salt
		}
		r.Comment += modules.PyStr(k) + ": " + text + "\n"
		return true
	})
	if c.Test {
		r.Result = nil
		return r, nil
	}
	for _, k := range changes.Keys() {
		if err := c.groupChange(ctx, modules.PyStr(k), changes); err != nil {
			return nil, err
		}
	}
	if changes, _, err = c.groupChanges(ctx); err != nil {
		return nil, err
	}
	if changes.Len() > 0 {
		r.Result, r.Comment = false, r.Comment+"Some changes could not be applied"
		r.Changes.Set("Failed", changes)
		return r, nil
	}
	r.Changes.Set("Final", "All changes applied successfully")
	return r, nil
}

// groupChange changes one property of a group.
func (c *Call) groupChange(ctx context.Context, key string, changes *value.Map) error {
	var err error
	switch key {
	case "gid":
		_, err = c.Module(ctx, "group.chgid", []any{c.Name(), c.Value("gid")}, value.NewMap("non_unique", c.Value("non_unique")))
	case "members":
		_, err = c.Module(ctx, "group.members", []any{c.Name(), strings.Join(texts(c.Value("members")), ",")}, nil)
	default:
		fun := map[string]string{"addusers": "group.adduser", "delusers": "group.deluser"}[key]
		for _, user := range texts(changes.List(key)) {
			if _, err = c.Module(ctx, fun, []any{c.Name(), user}, nil); err != nil {
				return err
			}
		}
	}
	return err
}

func (c *Call) groupNew(ctx context.Context, r *states.Result) (*states.Result, error) {
	name := c.Name()
	if c.Test {
		return says(r, nil, "Group %s set to be added", name)
	}
	if c.Value("gid") != nil && !c.Truth("non_unique") {
		all, err := c.Module(ctx, "group.getent", nil, nil)
		if err != nil {
			return nil, err
		}
		list, _ := all.([]any)
		for _, g := range list {
			if m, ok := g.(*value.Map); ok && modules.PyStr(m.Int("gid")) == modules.PyStr(c.Value("gid")) {
				return says(r, false, "Group %s is not present but gid %s is already taken by group %s", name, modules.PyStr(c.Value("gid")), m.String("name"))
			}
		}
	}
	added, err := c.Module(ctx, "group.add", []any{name},
		value.NewMap("gid", c.Value("gid"), "system", c.Value("system"), "non_unique", c.Value("non_unique")))
	if err != nil {
		return nil, err
	}
	if !pyfmt.Truth(added) {
		return says(r, false, "Failed to create new group %s", name)
	}
	users := texts(c.Value("members"))
	if add := texts(c.Value("addusers")); len(add) > 0 {
		users = add
	}
	if len(users) > 0 {
		if _, err := c.Module(ctx, "group.members", []any{name, strings.Join(users, ",")}, nil); err != nil {
			return nil, err
		}
	}
	if r.Changes, err = c.mapOf(ctx, "group.info", name); err != nil {
		return nil, err
	}
	changes, _, err := c.groupChanges(ctx)
	if err != nil {
		return nil, err
	}
	if changes.Len() > 0 {
		r.Changes = value.NewMap("Failed", changes)
		return says(r, false, "Group %s has been created but, some changes could not be applied", name)
	}
	return says(r, true, "New group %s created", name)
}

func groupAbsent(ctx context.Context, c *Call) (*states.Result, error) {
	name, r := c.Name(), outcome(c)
	g, err := c.mapOf(ctx, "group.info", name)
	switch {
	case err != nil:
		return nil, err
	case g.Len() == 0:
		return says(r, true, "Group not present")
	case c.Test:
		return says(r, nil, "Group %s is set for removal", name)
	}
	gone, err := c.truthOf(ctx, "group.delete", name)
	if err != nil {
		return nil, err
	}
	if !gone {
		return says(r, false, "Failed to remove group %s", name)
	}
	r.Changes.Set(name, "")
	return says(r, true, "Removed group %s", name)
}
