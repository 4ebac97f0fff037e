package functions

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("cron", Function{
		Name: "file", Run: cronFile, Spec: states.Spec{VarKw: true, Args: args(onlyName, "source_hash", "", "source_hash_name", nil, "user", "root",
			"template", nil, "context", nil, "replace", true, "defaults", nil, "backup", "")}, Doc: `
Manages the whole crontab of a user as a file (name: a salt:// or http address
or a path of this host).

user : root
    The user of the crontab.
source_hash, source_hash_name, template, context, defaults, backup
    As those of file.managed.
replace : True
    False keeps an existing crontab.

    salt://web/crontab:
      cron.file:
        - user: web
`,
	})
}

func cronFile(ctx context.Context, c *Call) (*states.Result, error) {
	source, user := c.Value("name"), c.Str("user")
	r := outcome(c)
	about, err := c.mapOf(ctx, "user.info", user)
	groups := about.List("groups")
	if err != nil || len(groups) == 0 {
		return says(r, false, "Could not identify group for user %s", user)
	}
	raw, err := c.Module(ctx, "cron.raw_cron", []any{user}, nil)
	if err != nil {
		return nil, err
	}
	now := pystr(raw)
	if !strings.HasSuffix(now, "\n") {
		now += "\n"
	}
	tmp, err := scratch([]byte(now))
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(tmp) }()
	if !c.Truth("replace") {
		// As in Salt, the empty crontab of a user without one is a line end.
		return says(r, true, "User %s already has a crontab. No changes made", user)
	}
	c.Args.Set("source", source)
	c.Args.Set("show_changes", true)
	c.Args.Set("follow_symlinks", true)
	m := &managed{Call: c, name: tmp, res: good(c.Name(), ""), owners: owners{user, groups[0], "0600"}}
	defer func() {
		for _, path := range m.scratch {
			_ = os.Remove(path)
		}
	}()
	if c.Test {
		return m.cronTest(ctx)
	}
	if res, err := m.get(ctx); res != nil || err != nil {
		return res, err
	}
	if err := m.put(ctx, tmp, m.res); err != nil {
		m.res.Changes = value.NewMap()
		return m.fail("Unable to manage file: %s", osError(err)), ctx.Err()
	}
	return m.cronWrite(ctx, user)
}

// cronTest sets the result of a test run.
func (m *managed) cronTest(ctx context.Context) (*states.Result, error) {
	if res, err := m.get(ctx); res != nil || err != nil {
		return res, err
	}
	changes, err := m.meta(ctx)
	if err != nil {
		return nil, err
	}
	if changes.Len() == 0 {
		m.res.Comment = fmt.Sprintf("The file %s is in the correct state", m.name)
		return m.res, nil
	}
	var b strings.Builder
	b.WriteString("The following values are set to be changed:\n")
	changes.Range(func(k, v any) bool {
		fmt.Fprintf(&b, "%s: %s\n", k, pystr(v))
		return true
	})
	m.res.Result, m.res.Comment = nil, b.String()
	return m.res, nil
}

// cronWrite installs the file as the crontab of a user if it differs.
func (m *managed) cronWrite(ctx context.Context, user string) (*states.Result, error) {
	if !m.res.Changes.Has("diff") {
		if m.res.Result == true {
			m.res.Comment = fmt.Sprintf("Crontab for user %s is in the correct state", user)
			m.res.Changes = value.NewMap()
		}
		return m.res, nil
	}
	said, err := m.mapOf(ctx, "cron.write_cron_file_verbose", user, m.name)
	if err != nil {
		return nil, err
	}
	if said.Int("retcode") != 0 {
		m.res.Changes = value.NewMap()
		return m.fail("Unable to update user %s crontab %s. Error: %s", user, m.name, said.String("stderr")), nil
	}
	m.res.Result, m.res.Comment = true, fmt.Sprintf("Crontab for user %s was updated", user)
	return m.res, nil
}
