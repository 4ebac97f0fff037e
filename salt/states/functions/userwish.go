package functions

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/value"
)

// gecosArgs are the fields of the comment of a user.
var gecosArgs = []string{"fullname", "roomnumber", "workphone", "homephone", "other"}

// userAges maps arguments about the age of a password to fields of shadow.info.
var userAges = [][2]string{{"date", "lstchg"}, {"mindays", "min"}, {"maxdays", "max"}, {"inactdays", "inact"}, {"warndays", "warn"}, {"expire", "expire"}}

// userWish is the wanted state of a user.
type userWish struct {
	call     *Call
	optional []string // the existing ones of the optional groups
	uid, gid bool     // may be changed
}

// changes returns the changes of the user, and whether the user exists.
func (w userWish) changes(ctx context.Context) (*value.Map, bool, error) {
	c := w.call
	info, shadow, err := c.userPair(ctx)
	if err != nil || info.Len() == 0 {
		return value.NewMap(), false, err
	}
	out := value.NewMap()
	if uid := c.Value("uid"); pyfmt.Truth(uid) && modules.PyStr(uid) != modules.PyStr(info.Int("uid")) {
		out.Set("uid", uid)
	}
	if err := w.group(ctx, info, out); err != nil {
		return nil, true, err
	}
	home := info.String("home")
	if want := c.Str("home"); want != "" {
		if want != home {
			out.Set("home", want)
		}
		home = want
	}
	if st, err := os.Stat(home); c.Truth("createhome") && (err != nil || !st.IsDir()) {
		out.Set("homeDoesNotExist", home)
	}
	if shell := c.Str("shell"); shell != "" && shell != info.String("shell") {
		out.Set("shell", shell)
	}
	w.password(shadow, out)
	for _, arg := range gecosArgs {
		if v := c.Value(arg); v != nil && modules.PyStr(v) != info.String(arg) {
			out.Set(arg, modules.PyStr(v))
		}
	}
	return out, true, w.forbidden(info, out)
}

// forbidden returns an error if an id would change that must not.
func (w userWish) forbidden(info, out *value.Map) error {
	var faults []string
	for _, n := range []struct {
		key     string
		allowed bool
	}{{"uid", w.uid}, {"gid", w.gid}} {
		if v, ok := out.Get(n.key); ok && !n.allowed {
			faults = append(faults, fmt.Sprintf("- Changing %s (%d -> %s) not permitted, set allow_%s_change to True to force this change. "+
				"Note that this will not change file ownership.", n.key, info.Int(n.key), modules.PyStr(v), n.key))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return &modules.CommandError{Msg: "Encountered error checking for needed changes. Additional info follows:\n\n" + strings.Join(faults, "\n")}
}

// group compares the primary group and the others.
func (w userWish) group(ctx context.Context, info, out *value.Map) error {
	c := w.call
	nameOf := func(gid any) (string, error) {
		v, err := c.Module(ctx, "file.gid_to_group", []any{gid}, nil)
		return modules.PyStr(v), err
	}
	oldName, err := nameOf(info.Int("gid"))
	if err != nil {
		return err
	}
	primary := oldName
	want := c.Value("gid")
	if c.Truth("usergroup") {
		if there, err := c.truthOf(ctx, "group.info", c.Name()); err != nil {
			return err
		} else if there {
			want = c.Name()
		}
	}
	if want != nil {
		number, err := c.Module(ctx, "file.group_to_gid", []any{want}, nil)
		if err != nil {
			return err
		}
		now := modules.PyStr(info.Int("gid"))
		if now != modules.PyStr(want) && now != modules.PyStr(number) {
			out.Set("gid", want)
		}
		if primary, err = nameOf(number); err != nil {
			return err
		}
	}
	groups := sorted(append(texts(c.Value("groups")), w.optional...))
	have := texts(info.List("groups"))
	remove := c.Truth("remove_groups")
	if !remove || c.Value("groups") == nil && len(w.optional) == 0 {
		groups = sorted(append(groups, have...))
	}
	have = slices.DeleteFunc(have, func(g string) bool {
		return g == primary || g == oldName || g == c.Name() && !slices.Contains(groups, g)
	})
	groups = slices.DeleteFunc(groups, func(g string) bool { return g == primary })
	lacks := slices.ContainsFunc(groups, func(g string) bool { return !slices.Contains(have, g) })
	if lacks || remove && !slices.Equal(sorted(have), groups) {
		out.Set("groups", texted(groups))
	}
	return nil
}

// password compares the password and its age.
func (w userWish) password(shadow, out *value.Map) {
	c, now := w.call, shadow.String("passwd")
	if want := c.Str("password"); want != "" && !c.Truth("empty_password") && (now == "!" || c.Truth("enforce_password")) && now != want {
		out.Set("passwd", want)
	}
	if c.Truth("empty_password") && now != "" {
		out.Set("empty_password", true)
	}
	for _, age := range userAges {
		want := c.Value(age[0])
		have, _ := shadow.Get(age[1])
		if want != nil && modules.PyStr(have) != modules.PyStr(want) {
			out.Set(age[0], want)
		}
	}
	if lock, given := c.condition("password_lock"); given && lock != strings.HasPrefix(now, "!") {
		out.Set("password_lock", lock)
	}
}
