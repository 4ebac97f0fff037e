package functions

import (
	"context"
	"strings"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// cronTimes are the time fields of a job.
var cronTimes = []string{"minute", "hour", "daymonth", "month", "dayweek"}

func init() {
	name := states.Arg{Name: "name", Required: true}
	user := states.Arg{Name: "user", Default: "root"}
	args := []states.Arg{name, user}
	for _, t := range cronTimes {
		args = append(args, states.Arg{Name: t, Default: "*"})
	}
	args = append(args, states.Arg{Name: "comment"}, states.Arg{Name: "commented", Default: false}, states.Arg{Name: "identifier", Default: false}, states.Arg{Name: "special"})
	Depends("cron", func() string {
		if modules.Which("crontab") == "" {
			return "cron module could not be loaded"
		}
		return ""
	})
	Register("cron",
		Function{Name: "present", Spec: states.Spec{Args: args}, Run: cronPresent, Doc: `
Ensure that the command name is in the crontab of a user.

minute, hour, daymonth, month, dayweek : *
    when it runs; random is a random value that does not change
special
    instead of the times: a word such as @daily
identifier
    what identifies the job, so that its command may change; the command by
    default
comment
    the comment above it
commented : False
    True disables it

    /usr/bin/backup:
      cron.present:
        - identifier: BACKUP
        - minute: random
        - hour: 2
`},
		Function{
			Name: "absent", Run: cronAbsent,
			Spec: states.Spec{Args: []states.Arg{name, user, {Name: "identifier", Default: false}, {Name: "special"}}, VarKw: true},
			Doc: `
Ensure that the command name, or the job with the identifier, is not in the
crontab of a user; with special, only jobs that run at this time.

    /usr/bin/backup:
      cron.absent:
        - identifier: BACKUP
`,
		},
		Function{Name: "env_present", Spec: states.Spec{Args: []states.Arg{name, {Name: "value"}, user}}, Run: cronEnvPresent, Doc: `
Ensure that the variable name has a value in the crontab of a user.

    MAILTO:
      cron.env_present:
        - value: admin@example.com
`},
		Function{Name: "env_absent", Spec: states.Spec{Args: []states.Arg{name, user}}, Run: cronEnvAbsent, Doc: `
Ensure that the variable name is not in the crontab of a user.

    MAILTO:
      cron.env_absent: []
`},
	)
}

// cronID returns the identifier of a job; the default is its command.
func (c *Call) cronID(name string) any {
	if id := c.Value("identifier"); id != false {
		return id
	}
	return name
}

// cronStatus returns what cron.set_job would find: absent, present or update.
func (c *Call) cronStatus(ctx context.Context, name string, all bool) (string, error) {
	tab, err := c.mapOf(ctx, "cron.list_tab", c.Str("user"))
	if err != nil {
		return "", err
	}
	kind := "crons"
	if c.Value("special") != nil {
		kind = "special"
	}
	for _, e := range tab.List(kind) {
		job, ok := e.(*value.Map)
		if !ok || !cronMatches(job, name, modules.PyStr(c.cronID(name))) {
			continue
		}
		if !all {
			return "present", nil
		}
		wants := map[string]any{"identifier": c.cronID(name), "cmd": name, "comment": c.Value("comment"), "commented": c.Value("commented") == true}
		if kind == "special" {
			wants["spec"] = c.Value("special")
		} else {
			for _, t := range cronTimes {
				wants[t] = strings.ToLower(modules.PyStr(c.Value(t)))
			}
		}
		for key, want := range wants {
			have, _ := job.Get(key)
			differs := want != nil && modules.PyStr(have) != modules.PyStr(want)
			if want == "random" {
				differs = have == "*"
			}
			if differs {
				return "update", nil
			}
		}
		return "present", nil
	}
	return "absent", nil
}

// cronMatches reports whether a job has the identifier, or the command if it has no
// identifier.
func cronMatches(job *value.Map, cmd, id string) bool {
	have := job.String("identifier")
	if have == "" {
		return job.String("cmd") == cmd
	}
	return have == id
}

func cronPresent(ctx context.Context, c *Call) (*states.Result, error) {
	r := outcome(c)
	name, user := strings.TrimSpace(c.Name()), c.Str("user")
	r.Name = name
	if c.Test {
		status, err := c.cronStatus(ctx, name, true)
		return planned(r, status, err, "Cron "+name)
	}
	fun, kwargs := "cron.set_special", value.NewMap("user", user, "cmd", name, "comment", c.Value("comment"),
		"commented", c.Value("commented"), "identifier", c.cronID(name))
	if special := c.Value("special"); special != nil {
		kwargs.Set("special", special)
	} else {
		fun = "cron.set_job"
		for _, t := range cronTimes {
			kwargs.Set(t, c.Value(t))
		}
	}
	data, err := c.Module(ctx, fun, nil, kwargs)
	return c.cronSet(r, "Cron "+name, data, err)
}

// planned sets the result of a test run for a job or variable.
func planned(r *states.Result, status string, err error, what string) (*states.Result, error) {
	r.Result = nil
	switch status {
	case "absent":
		r.Comment = what + " is set to be added"
	case "present":
		r.Result, r.Comment = true, what+" already present"
	case "update":
		r.Comment = what + " is set to be updated"
	}
	return r, err
}

// cronSet sets the result after cron.set_job or cron.set_env.
func (c *Call) cronSet(r *states.Result, what string, data any, err error) (*states.Result, error) {
	user := c.Str("user")
	if err != nil {
		return nil, err
	}
	switch data {
	case "present":
		return says(r, true, "%s already present", what)
	case "new":
		r.Changes.Set(user, r.Name)
		return says(r, true, "%s added to %s's crontab", what, user)
	case "updated":
		r.Changes.Set(user, r.Name)
		return says(r, true, "%s updated", what)
	}
	return says(r, false, "%s for user %s failed to commit with error \n%s", what, user, modules.PyStr(data))
}

// cronGone sets the result after a removal.
func (c *Call) cronGone(r *states.Result, what string, data any, err error) (*states.Result, error) {
	user := c.Str("user")
	if err != nil {
		return nil, err
	}
	switch data {
	case "absent":
		return says(r, true, "%s already absent", what)
	case "removed":
		r.Changes.Set(user, r.Name)
		return says(r, true, "%s removed from %s's crontab", what, user)
	}
	return says(r, false, "%s for user %s failed to commit with error %s", what, user, modules.PyStr(data))
}

func cronAbsent(ctx context.Context, c *Call) (*states.Result, error) {
	r := outcome(c)
	name, user := strings.TrimSpace(c.Name()), c.Str("user")
	r.Name = name
	if c.Test {
		status, err := c.cronStatus(ctx, name, false)
		if err != nil {
			return nil, err
		}
		if status == "absent" {
			return says(r, true, "Cron %s is absent", name)
		}
		return says(r, nil, "Cron %s is set to be removed", name)
	}
	fun, kwargs := "cron.rm_job", value.NewMap("identifier", c.cronID(name))
	if special := c.Value("special"); special != nil {
		fun = "cron.rm_special"
		kwargs.Set("special", special)
	}
	data, err := c.Module(ctx, fun, []any{user, name}, kwargs)
	return c.cronGone(r, "Cron "+name, data, err)
}

// cronEnvStatus returns what cron.set_env would find.
func (c *Call) cronEnvStatus(ctx context.Context, name string) (string, error) {
	tab, err := c.mapOf(ctx, "cron.list_tab", c.Str("user"))
	if err != nil {
		return "", err
	}
	for _, e := range tab.List("env") {
		if m, ok := e.(*value.Map); ok && m.String("name") == name {
			if c.Args.Has("value") && m.String("value") != modules.PyStr(orEmptyText(c.Value("value"))) {
				return "update", nil
			}
			return "present", nil
		}
	}
	return "absent", nil
}

func orEmptyText(v any) any {
	if v == nil {
		return ""
	}
	return v
}

func cronEnvPresent(ctx context.Context, c *Call) (*states.Result, error) {
	r, what := outcome(c), "Cron env "+c.Name()
	if c.Test {
		status, err := c.cronEnvStatus(ctx, c.Name())
		return planned(r, status, err, what)
	}
	data, err := c.Module(ctx, "cron.set_env", []any{c.Str("user"), c.Name(), c.Value("value")}, nil)
	return c.cronSet(r, what, data, err)
}

func cronEnvAbsent(ctx context.Context, c *Call) (*states.Result, error) {
	r := outcome(c)
	r.Name = strings.TrimSpace(c.Name())
	what := "Cron env " + r.Name
	if c.Test {
		status, err := c.cronEnvStatus(ctx, r.Name)
		if err != nil {
			return nil, err
		}
		if status == "absent" {
			return says(r, true, "%s is absent", what)
		}
		return says(r, nil, "%s is set to be removed", what)
	}
	data, err := c.Module(ctx, "cron.rm_env", []any{c.Str("user"), r.Name}, nil)
	return c.cronGone(r, what, data, err)
}
