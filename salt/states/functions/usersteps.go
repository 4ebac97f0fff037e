package functions

import (
	"context"
	"errors"
	"os"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// userStep makes one change of a user.
type userStep struct {
	key string
	do  func(ctx context.Context, c *Call, changes, before *value.Map) error
}

// userSteps are all changes in order. groups come last, since a user's groups depend on the
// primary one.
var userSteps = []userStep{
	{"passwd", byModule("shadow.set_password")},
	{"empty_password", func(ctx context.Context, c *Call, _, _ *value.Map) error {
		_, err := c.Module(ctx, "shadow.del_password", []any{c.Name()}, nil)
		return err
	}},
	{"password_lock", func(ctx context.Context, c *Call, changes, _ *value.Map) error {
		fun := map[bool]string{true: "shadow.lock_password", false: "shadow.unlock_password"}[changes.Bool("password_lock")]
		_, err := c.Module(ctx, fun, []any{c.Name()}, nil)
		return err
	}},
	{"date", byModule("shadow.set_date")},
	{"home", byModule("user.chhome")},
	{"homeDoesNotExist", userHome},
	{"mindays", byModule("shadow.set_mindays")},
	{"maxdays", byModule("shadow.set_maxdays")},
	{"inactdays", byModule("shadow.set_inactdays")},
	{"warndays", byModule("shadow.set_warndays")},
	{"expire", byModule("shadow.set_expire")},
	{"uid", byModule("user.chuid")},
	{"gid", func(ctx context.Context, c *Call, changes, _ *value.Map) error {
		gid, _ := changes.Get("gid")
		number, err := c.Module(ctx, "file.group_to_gid", []any{gid}, nil)
		if err != nil {
			return err
		}
		_, err = c.Module(ctx, "user.chgid", []any{c.Name(), number}, nil)
		return err
	}},
	{"shell", byModule("user.chshell")},
	{"fullname", byModule("user.chfullname")},
	{"roomnumber", byModule("user.chroomnumber")},
	{"workphone", byModule("user.chworkphone")},
	{"homephone", byModule("user.chhomephone")},
	{"other", byModule("user.chother")},
	{"groups", func(ctx context.Context, c *Call, changes, _ *value.Map) error {
		_, err := c.Module(ctx, "user.chgroups", []any{c.Name(), changes.List("groups"), !c.Truth("remove_groups")}, nil)
		return err
	}},
}

// byModule makes a change with a function that takes the name and the new value. The key of
// its step selects the value.
func byModule(fun string) func(context.Context, *Call, *value.Map, *value.Map) error {
	return func(ctx context.Context, c *Call, changes, _ *value.Map) error {
		v, _ := changes.Get(stepOf(fun))
		_, err := c.Module(ctx, fun, []any{c.Name(), v}, nil)
		return err
	}
}

// stepOf returns the change that a function makes.
func stepOf(fun string) string {
	switch fun {
	case "shadow.set_password":
		return "passwd"
	case "user.chhome":
		return "home"
	}
	if _, name, ok := cut(fun, "shadow.set_"); ok {
		return name
	}
	_, name, _ := cut(fun, "user.ch")
	return name
}

func cut(s, prefix string) (string, string, bool) {
	if len(s) > len(prefix) && s[:len(prefix)] == prefix {
		return prefix, s[len(prefix):], true
	}
	return "", "", false
}

// userHome creates the home folder of a user.
func userHome(ctx context.Context, c *Call, changes, before *value.Map) error {
	home := changes.String("homeDoesNotExist")
	if err := os.Mkdir(home, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	_, err := c.Module(ctx, "file.chown", []any{home, before.Int("uid"), before.Int("gid")}, nil)
	return err
}

// userNew adds a user. missing are groups that other states are expected to add in a test
// run.
func (c *Call) userNew(ctx context.Context, r *states.Result, missing string, optional []string) (*states.Result, error) {
	name := c.Name()
	if c.Test {
		if missing != "" {
			return says(r, nil, "User %s set to be added (pending groups: %s)", name, missing)
		}
		return says(r, nil, "User %s set to be added", name)
	}
	kwargs := value.NewMap("groups", texted(append(texts(c.Value("groups")), optional...)))
	for _, arg := range []string{
		"uid", "gid", "home", "shell", "unique", "system", "fullname", "roomnumber", "workphone", "homephone", "other",
		"createhome", "nologinit", "usergroup",
	} {
		if v := c.Value(arg); v != nil {
			kwargs.Set(arg, v)
		}
	}
	added, err := c.Module(ctx, "user.add", []any{name}, kwargs)
	if err != nil {
		return nil, err
	}
	if added != true {
		return says(r, false, "Failed to create new user %s", name)
	}
	if r.Changes, err = c.mapOf(ctx, "user.info", name); err != nil {
		return nil, err
	}
	r.Comment = "New user " + name + " created"
	if !c.Truth("createhome") {
		r.Changes.Set("home", "")
	}
	return r, c.userShadow(ctx, r)
}

// userShadow sets the password of a new user and its age.
func (c *Call) userShadow(ctx context.Context, r *states.Result) error {
	type wish struct {
		fun, field, key, fault string
		value, shown           any
	}
	var wishes []wish
	password, empty := c.Str("password"), c.Truth("empty_password")
	if password != "" && !empty {
		wishes = append(wishes, wish{"shadow.set_password", "passwd", "password", "set password to " + hidden, password, hidden})
	}
	if empty && password == "" {
		wishes = append(wishes, wish{"shadow.del_password", "passwd", "password", "empty password", "", ""})
	}
	for i, what := range []string{"last change date", "minimum days", "maximum days", "inactive days", "warning days", "expire days"} {
		arg := userAges[i]
		v := c.Value(arg[0])
		if v == nil || arg[0] != "date" && !pyfmt.Truth(v) {
			continue
		}
		text := "set " + what + " to " + pyText(v)
		wishes = append(wishes, wish{"shadow.set_" + arg[0], arg[1], arg[0], text, v, v})
	}
	for _, w := range wishes {
		args := []any{c.Name(), w.value}
		if w.fun == "shadow.del_password" {
			args = args[:1]
		}
		if _, err := c.Module(ctx, w.fun, args, nil); err != nil {
			return err
		}
		now, err := c.mapOf(ctx, "shadow.info", c.Name())
		if err != nil {
			return err
		}
		if have, _ := now.Get(w.field); pyText(have) != pyText(w.value) {
			r.Result, r.Comment = false, "User "+c.Name()+" created but failed to "+w.fault
		}
		r.Changes.Set(w.key, w.shown)
	}
	return nil
}
