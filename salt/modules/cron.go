package modules

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

func init() {
	user := Arg{Name: "user", Required: true}
	cmd := Arg{Name: "cmd", Required: true}
	tail := []Arg{{Name: "commented", Default: false}, {Name: "comment"}, {Name: "identifier"}}
	var required, optional []Arg
	for _, name := range cronTimeNames {
		required, optional = append(required, Arg{Name: name, Required: true}), append(optional, Arg{Name: name})
	}
	const times = `minute, hour, daymonth, month and dayweek are as in crontab; "random" is a random value.`
	const about = `
A job is identified by identifier, or by the command cmd if it has none.
`
	Register("cron",
		Function{Name: "list_tab", Args: []Arg{user}, Run: cronList, Doc: `
Return the crontab of a user: the jobs that Salt manages, and the lines above
them unchanged.

CLI Example:

    salt '*' cron.list_tab root
`},
		Function{Name: "raw_cron", Args: []Arg{user}, Run: cronRaw, Doc: `
Return the crontab of a user as text.

CLI Example:

    salt '*' cron.raw_cron root
`},
		Function{Name: "get_entry", Args: []Arg{user, {Name: "identifier"}, {Name: "cmd"}}, Run: cronEntry, Doc: `
Return a job of a user by its identifier or its command (cmd), False when there
is not found.

CLI Example:

    salt '*' cron.get_entry root identifier=task1
`},
		Function{Name: "set_job", Args: slices.Concat([]Arg{user}, required, []Arg{cmd}, tail), Run: cronSetJob, Doc: `
Set a job of a user. ` + times + `
commented=True keeps it from running, comment stands above it. Returns new,
updated or present, or what went wrong.
` + about + `
CLI Example:

    salt '*' cron.set_job root '*' '*' '*' '*' 1 /usr/local/weekly
`},
		Function{Name: "set_special", Args: slices.Concat([]Arg{user, {Name: "special", Required: true}, cmd}, tail), Run: cronSetSpecial, Doc: `
Set a job of a user that runs at a special time, such as @daily. commented=True
disables it, comment is written above it. Returns new, updated or present, or an
error message.
` + about + `
CLI Example:

    salt '*' cron.set_special root @hourly 'echo foobar'
`},
		Function{Name: "rm_job", Args: slices.Concat([]Arg{user, cmd}, optional, []Arg{{Name: "identifier"}}), Run: cronRemove(false), Doc: `
Remove a job of a user; with times, only if they match. ` + times + `
Returns removed or absent, or an error message.
` + about + `
CLI Example:

    salt '*' cron.rm_job root /usr/local/weekly
`},
		Function{Name: "rm_special", Args: []Arg{user, cmd, {Name: "special"}, {Name: "identifier"}}, Run: cronRemove(true), Doc: `
Remove a job of a user that runs at a special time. Returns removed or absent,
or an error message.
` + about + `
CLI Example:

    salt '*' cron.rm_special root /usr/bin/foo
`},
		Function{Name: "set_env", Args: []Arg{user, {Name: "name", Required: true}, {Name: "value"}}, Run: cronSetEnv, Doc: `
Set a variable (name) in the crontab of a user to value. Returns new, updated or
present, or an error message.

CLI Example:

    salt '*' cron.set_env root MAILTO user@example.com
`},
		Function{Name: "rm_env", Args: []Arg{user, {Name: "name", Required: true}}, Run: cronRemoveEnv, Doc: `
Remove a variable (name) from the crontab of a user. Returns removed or absent,
or an error message.

CLI Example:

    salt '*' cron.rm_env root MAILTO
`},
		Function{Name: "write_cron_file", Args: []Arg{user, {Name: "path", Required: true}}, Run: cronWriteFile, Doc: `
Make the file path the crontab of a user. Returns whether that succeeded.

CLI Example:

    salt '*' cron.write_cron_file root /tmp/new_cron
`},
		Function{Name: "write_cron_file_verbose", Args: []Arg{user, {Name: "path", Required: true}}, Run: cronWriteVerbose, Doc: `
Make the file path the crontab of a user. Returns the output of crontab.

CLI Example:

    salt '*' cron.write_cron_file_verbose root /tmp/new_cron
`},
	)
	alias("cron", "list_tab", "ls")
	alias("cron", "rm_job", "rm")
}

func cronList(ctx context.Context, c *Call) (any, error) {
	tab, err := c.crontabOf(ctx, c.Str("user"))
	return tab.value(), err
}

func cronRaw(ctx context.Context, c *Call) (any, error) { return c.rawCrontab(ctx, c.Str("user")) }

func cronEntry(ctx context.Context, c *Call) (any, error) {
	tab, err := c.crontabOf(ctx, c.Str("user"))
	id, cmd := c.Str("identifier"), c.Str("cmd")
	for _, job := range tab.jobs {
		if id != "" && orEmpty(job.identifier) == id || id == "" && cmd != "" && job.cmd == cmd {
			return job.value(), err
		}
	}
	return false, err
}

// oneLine returns an error for text that would add a line to a crontab.
func oneLine(what, text string) error {
	//mutant:modules-cron-one-line
	if strings.ContainsAny(text, "\n\r\x00") {
		return InvocationErrorf("%s of a cron job has to be one line, not %s", what, PyRepr(text))
	}
	return nil
}

// textArg returns an argument as a string, nil for None.
func (c *Call) textArg(name string) *string {
	if c.Value(name) == nil {
		return nil
	}
	s := c.Str(name)
	return &s
}

func cronSetJob(ctx context.Context, c *Call) (any, error) {
	var job cronJob
	for i, name := range cronTimeNames {
		job.times[i] = strings.ToLower(c.Str(name))
		if job.times[i] == "" || strings.ContainsAny(job.times[i], " \t") {
			return nil, InvocationErrorf("%s of a cron job is one word, not %s", name, PyRepr(c.Value(name)))
		}
	}
	return c.setCron(ctx, job)
}

func cronSetSpecial(ctx context.Context, c *Call) (any, error) {
	special := c.Str("special")
	if !strings.HasPrefix(special, "@") || strings.ContainsAny(special, " \t") {
		return nil, InvocationErrorf("a special time is a word such as @daily, not %s", PyRepr(special))
	}
	return c.setCron(ctx, cronJob{special: special})
}

// setCron adds or updates the job given by the arguments. Fields that are not given stay as
// they are.
func (c *Call) setCron(ctx context.Context, want cronJob) (any, error) {
	user, id := c.Str("user"), c.Str("identifier")
	want.cmd, want.commented, want.comment = c.Str("cmd"), c.IsTrue("commented"), c.textArg("comment")
	if id != "" {
		want.identifier = &id
	}
	for what, text := range map[string]string{"the command": want.cmd, "the identifier": id, "the time": strings.Join(append(want.times[:], want.special), "")} {
		if err := oneLine(what, text); err != nil {
			return nil, err
		}
	}
	tab, err := c.crontabOf(ctx, user)
	if err != nil {
		return nil, err
	}
	status := "new"
	if at := slices.IndexFunc(tab.jobs, func(j cronJob) bool { return j.matches(want.cmd, id) }); at >= 0 {
		old := tab.jobs[at]
		want.keep(old)
		if want.same(old) {
			return "present", nil
		}
		tab.jobs = slices.Delete(tab.jobs, at, at+1)
		status = "updated"
	}
	want.roll()
	tab.jobs = append(tab.jobs, want)
	fault, err := c.writeCrontab(ctx, user, tab)
	if fault != "" {
		status = fault
	}
	return status, err
}

// keep copies from a job the fields that are not given.
func (j *cronJob) keep(old cronJob) {
	if j.comment == nil {
		j.comment = old.comment
	}
	if j.identifier == nil {
		j.identifier = old.identifier
	}
	for i, t := range j.times {
		// A time that was chosen at random stays.
		if t == "random" && old.times[i] != "*" && old.times[i] != "" {
			j.times[i] = old.times[i]
		}
	}
}

func (j cronJob) same(o cronJob) bool {
	return j.times == o.times && j.special == o.special && j.cmd == o.cmd && j.commented == o.commented &&
		orEmpty(j.comment) == orEmpty(o.comment) && orEmpty(j.identifier) == orEmpty(o.identifier)
}

// roll replaces random times, and ranges A:B, by a random value.
func (j *cronJob) roll() {
	if j.special != "" {
		return
	}
	limits := [cronTimes][2]int{{0, 59}, {0, 23}, {1, 28}, {1, 12}, {0, 6}}
	pick := func(i int) {
		low, high := limits[i][0], limits[i][1]
		if a, b, ok := strings.Cut(j.times[i], ":"); ok {
			x, errA := strconv.Atoi(a)
			y, errB := strconv.Atoi(b)
			if errA != nil || errB != nil {
				return // crontab reports the fault
			}
			low, high = min(x, y), max(x, y)
		} else if j.times[i] != "random" {
			return
		}
		j.times[i] = strconv.Itoa(low + rand.IntN(high-low+1))
	}
	for _, i := range []int{0, 1, 3, 4} {
		pick(i)
	}
	switch j.times[3] {
	case "1", "3", "5", "7", "8", "10", "12":
		limits[2][1] = 31
	case "4", "6", "9", "11":
		limits[2][1] = 30
	}
	if j.times[2] == "random" {
		pick(2)
	}
}

func cronRemove(special bool) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		user := c.Str("user")
		tab, err := c.crontabOf(ctx, user)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(tab.jobs, func(j cronJob) bool {
			if (j.special != "") != special || !j.matches(c.Str("cmd"), c.Str("identifier")) {
				return false
			}
			if special {
				return c.Value("special") == nil || c.Str("special") == j.special
			}
			for i, name := range cronTimeNames {
				want := c.Str(name)
				if c.Value(name) != nil && want != j.times[i] && (!strings.EqualFold(want, "random") || j.times[i] == "*") {
					return false
				}
			}
			return true
		})
		if at < 0 {
			return "absent", nil
		}
		tab.jobs = slices.Delete(tab.jobs, at, at+1)
		return c.removed(ctx, user, tab)
	}
}

func (c *Call) removed(ctx context.Context, user string, tab crontab) (any, error) {
	fault, err := c.writeCrontab(ctx, user, tab)
	if fault != "" {
		return fault, err
	}
	return "removed", err
}

func cronSetEnv(ctx context.Context, c *Call) (any, error) {
	user, name, v := c.Str("user"), c.Str("name"), c.Str("value")
	if err := oneLine("a variable", name+v); err != nil {
		return nil, err
	}
	tab, err := c.crontabOf(ctx, user)
	if err != nil {
		return nil, err
	}
	status := "new"
	if at := slices.IndexFunc(tab.env, func(e [2]string) bool { return e[0] == name }); at >= 0 {
		if tab.env[at][1] == v {
			return "present", nil
		}
		tab.env, status = slices.Delete(tab.env, at, at+1), "updated"
	}
	tab.env = append(tab.env, [2]string{name, v})
	fault, err := c.writeCrontab(ctx, user, tab)
	if fault != "" {
		status = fault
	}
	return status, err
}

func cronRemoveEnv(ctx context.Context, c *Call) (any, error) {
	tab, err := c.crontabOf(ctx, c.Str("user"))
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(tab.env, func(e [2]string) bool { return e[0] == c.Str("name") })
	if at < 0 {
		return "absent", nil
	}
	tab.env = slices.Delete(tab.env, at, at+1)
	return c.removed(ctx, c.Str("user"), tab)
}

func cronWriteFile(ctx context.Context, c *Call) (any, error) {
	r, err := c.installCrontab(ctx, c.Str("user"), c.Str("path"))
	return r.retcode == 0, err
}

func cronWriteVerbose(ctx context.Context, c *Call) (any, error) {
	if err := plainArg("the path of a crontab", c.Str("path")); err != nil {
		return nil, err
	}
	r, err := c.installCrontab(ctx, c.Str("user"), c.Str("path"))
	return r.all(), err
}
