package functions

import (
	"context"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	name := states.Arg{Name: "name", Required: true}
	args := []states.Arg{
		name,
		{Name: "uid"},
		{Name: "gid"},
		{Name: "usergroup"},
		{Name: "groups"},
		{Name: "optional_groups"},
		{Name: "remove_groups", Default: true},
		{Name: "home"},
		{Name: "createhome", Default: true},
		{Name: "password"},
		{Name: "hash_password", Default: false},
		{Name: "enforce_password", Default: true},
		{Name: "empty_password", Default: false},
		{Name: "shell"},
		{Name: "unique", Default: true},
		{Name: "system", Default: false},
		{Name: "fullname"},
		{Name: "roomnumber"},
		{Name: "workphone"},
		{Name: "homephone"},
		{Name: "other"},
		{Name: "loginclass"},
		{Name: "date"},
		{Name: "mindays"},
		{Name: "maxdays"},
		{Name: "inactdays"},
		{Name: "warndays"},
		{Name: "expire"},
		{Name: "nologinit", Default: false},
		{Name: "allow_uid_change", Default: false},
		{Name: "allow_gid_change", Default: false},
		{Name: "password_lock"},
	}
	Register("user",
		Function{Name: "present", Spec: states.Spec{Args: args}, Run: userPresent, Doc: `
Ensure that the user name exists, with these properties.

uid, gid
    numbers (gid also a group by name); they are changed only with
    allow_uid_change, allow_gid_change
usergroup
    True creates a group of its name for a new user, False none
groups, optional_groups
    its supplementary groups; optional ones only if they exist.
    remove_groups=False keeps its other groups
home, createhome : True
    its home folder, and whether to create it
password, enforce_password : True
    the hash of its password; with enforce_password=False only if none is set
empty_password : False
    allow login without a password
password_lock
    True locks the password, False unlocks it
shell, unique, system, nologinit
    as in user.add
fullname, roomnumber, workphone, homephone, other
    the fields of its comment
date, mindays, maxdays, inactdays, warndays, expire
    the aging of its password, as in shadow.info
hash_password, loginclass
    not supported; a state that sets one fails

    fred:
      user.present:
        - shell: /bin/zsh
        - groups: [wheel]
`},
		Function{
			Name: "absent", Run: userAbsent,
			Spec: states.Spec{Args: []states.Arg{name, {Name: "purge", Default: false}, {Name: "force", Default: false}}},
			Doc: `
Ensure that the user name does not exist; purge also removes its files, force
removes it even if it is logged in.

    fred:
      user.absent:
        - purge: True
`,
		},
	)
}

// hidden replaces a password in messages.
const hidden = "XXX-REDACTED-XXX"

func userPresent(ctx context.Context, c *Call) (*states.Result, error) {
	name, r := c.Name(), outcome(c)
	r.Comment = "User " + name + " is present and up to date"
	for _, arg := range []string{"hash_password", "loginclass"} {
		if c.Truth(arg) {
			return says(r, false, "This minion does not support %s of user.present", arg)
		}
	}
	for _, arg := range gecosArgs {
		if text := c.Str(arg); arg != "homephone" && arg != "other" && contains(text, ',') {
			return says(r, false, "Unsupported char ',' in %s", text)
		}
	}
	missing, optional, err := c.userGroups(ctx)
	if err != nil {
		return nil, err
	}
	if missing != "" && !c.Test { // in a test run, an earlier state may create them
		return says(r, false, "The following group(s) are not present: %s", missing)
	}
	want := userWish{call: c, optional: optional, uid: c.Truth("allow_uid_change"), gid: c.Truth("allow_gid_change")}
	changes, there, err := want.changes(ctx)
	if text, failed := work(err); failed {
		return says(r, false, "%s", text)
	}
	switch {
	case err != nil:
		return nil, err
	case !there:
		return c.userNew(ctx, r, missing, optional)
	case changes.Len() == 0:
		return r, nil
	case c.Test:
		r.Result, r.Comment = nil, "The following user attributes are set to be changed:\n"
		changes.Range(func(k, v any) bool {
			if k == "passwd" {
				v = hidden
			}
			r.Comment += modules.PyStr(k) + ": " + modules.PyStr(v) + "\n"
			return true
		})
		if missing != "" {
			r.Comment += "groups (pending creation): " + missing + "\n"
		}
		return r, nil
	}
	if err := c.userChange(ctx, r, changes); err != nil {
		return nil, err
	}
	want.uid, want.gid = true, true // rejected changes were reported the first time
	left, _, err := want.changes(ctx)
	if err != nil {
		return nil, err
	}
	if left.Len() > 0 {
		if left.Has("passwd") {
			left.Set("passwd", hidden)
		}
		return says(r, false, "These values could not be changed: %s", modules.PyStr(left))
	}
	return r, nil
}

// userGroups checks the groups of a user: it returns the missing ones, separated by commas,
// and the existing optional ones. It removes missing groups from the argument groups.
func (c *Call) userGroups(ctx context.Context) (missing string, optional []string, err error) {
	var groups []any
	for _, arg := range []string{"groups", "optional_groups"} {
		for _, g := range texts(c.Value(arg)) {
			there, err := c.truthOf(ctx, "group.info", g)
			switch {
			case err != nil:
				return "", nil, err
			case arg == "optional_groups" && there:
				optional = append(optional, g)
			case arg == "groups" && there:
				groups = append(groups, g)
			case arg == "groups" && missing != "":
				missing += "," + g
			case arg == "groups":
				missing = g
			}
		}
	}
	if missing != "" {
		c.Args.Set("groups", groups)
	}
	return missing, optional, nil
}

// userPair returns the user.info and shadow.info of the user.
func (c *Call) userPair(ctx context.Context) (info, shadow *value.Map, err error) {
	if info, err = c.mapOf(ctx, "user.info", c.Name()); err != nil {
		return nil, nil, err
	}
	shadow, err = c.mapOf(ctx, "shadow.info", c.Name())
	return info, shadow, err
}

// userChange makes the changes and records the differences.
func (c *Call) userChange(ctx context.Context, r *states.Result, changes *value.Map) error {
	before, shadowBefore, err := c.userPair(ctx)
	if err != nil {
		return err
	}
	for _, step := range userSteps {
		if !changes.Has(step.key) {
			continue
		}
		if err := step.do(ctx, c, changes, before); err != nil {
			return err
		}
	}
	after, shadowAfter, err := c.userPair(ctx)
	if err != nil {
		return err
	}
	for _, pair := range [][2]*value.Map{{before, after}, {shadowBefore, shadowAfter}} {
		pair[1].Range(func(k, v any) bool {
			old, _ := pair[0].GetKey(k)
			switch {
			case modules.PyRepr(old) == modules.PyRepr(v):
			case k == "passwd":
				r.Changes.Set(k, hidden)
			default:
				r.Changes.Set(k, v)
			}
			return true
		})
	}
	if r.Changes.Len() > 0 {
		r.Comment = "Updated user " + c.Name()
	}
	return nil
}

func userAbsent(ctx context.Context, c *Call) (*states.Result, error) {
	name, r := c.Name(), outcome(c)
	info, err := c.mapOf(ctx, "user.info", name)
	switch {
	case err != nil:
		return nil, err
	case info.Len() == 0:
		return says(r, true, "User %s is not present", name)
	case c.Test:
		return says(r, nil, "User %s set for removal", name)
	}
	gone, err := c.truthOf(ctx, "user.delete", name, c.Value("purge"), c.Value("force"))
	if err != nil {
		return nil, err
	}
	if !gone {
		return says(r, false, "Failed to remove user %s", name)
	}
	for _, g := range texts(info.List("groups")) {
		there, err := c.truthOf(ctx, "group.info", g)
		if err != nil {
			return nil, err
		}
		if !there {
			r.Changes.Set(g+" group", "removed")
		}
	}
	r.Changes.Set(name, "removed")
	return says(r, true, "Removed user %s", name)
}

func contains(text string, b byte) bool {
	for i := range len(text) {
		if text[i] == b {
			return true
		}
	}
	return false
}
