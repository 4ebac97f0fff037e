package modules

import (
	"context"
	"strings"

	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

func init() {
	name := Arg{Name: "name", Required: true}
	Register("schedule",
		Function{
			Name: "list", Run: scheduleList,
			Args: []Arg{{Name: "show_all", Default: false}, {Name: "show_disabled", Default: true}, {Name: "where"}, {Name: "return_yaml", Default: true}, {Name: "offline", Default: false}},
			Doc: `
List the scheduled jobs of this minion, as YAML, or as a map with
return_yaml=False. show_all=True includes those that the minion adds itself,
show_disabled=False excludes disabled ones. where is opts or pillar and selects
those from there. offline=True reads the saved schedule, for a minion that does
not run.

CLI Example:

    salt '*' schedule.list
    salt '*' schedule.list show_all=True
`,
		},
		Function{Name: "is_enabled", Args: []Arg{{Name: "name"}}, Run: scheduleIsEnabled, Doc: `
Return whether the scheduler is enabled; with a name, return that job, or an empty map if it does not exist.

CLI Example:

    salt '*' schedule.is_enabled
    salt '*' schedule.is_enabled name=job1
`},
		Function{Name: "build_schedule_item", Args: []Arg{name}, VarKw: true, Run: scheduleBuild, Doc: `
Return the job that schedule.add would add under this name.

CLI Example:

    salt '*' schedule.build_schedule_item job1 function=test.ping seconds=3600
`},
		Function{Name: "add", Args: []Arg{name}, VarKw: true, Run: scheduleAdd, Doc: `
Add a job under a name. function is the function to run, with the list job_args
and the map job_kwargs; seconds, minutes, hours, days, when, cron or once set
the time. Other keywords are fields of the job. It is saved unless persist=False
is given. test=True returns what would be done, offline=True changes the saved
schedule of a minion that does not run.

CLI Example:

    salt '*' schedule.add job1 function=test.ping seconds=3600
    salt '*' schedule.add job2 function=cmd.run job_args="['date >> /tmp/date.log']" seconds=60
`},
		Function{Name: "modify", Args: []Arg{name}, VarKw: true, Run: scheduleModify, Doc: `
Put another job in the place of the one of this name. The fields are those of schedule.add; the function stays
if none is given.

CLI Example:

    salt '*' schedule.modify job1 function=test.ping seconds=60
`},
		Function{Name: "delete", Args: []Arg{name}, VarKw: true, Run: scheduleDelete, Doc: `
Delete the job of this name. A job of the pillar is kept. persist, test and
offline are those of schedule.add.

CLI Example:

    salt '*' schedule.delete job1
`},
		Function{Name: "purge", VarKw: true, Run: schedulePurge, Doc: `
Delete all jobs except those that the minion adds itself. persist, test and
offline are those of schedule.add.

CLI Example:

    salt '*' schedule.purge
`},
		Function{Name: "enable", VarKw: true, Run: scheduleSwitch("enable", "enabled", true), Doc: `
Enable the scheduler. persist=False does not save that.

CLI Example:

    salt '*' schedule.enable
`},
		Function{Name: "disable", VarKw: true, Run: scheduleSwitch("disable", "disabled", false), Doc: `
Disable the scheduler. persist=False does not save that.

CLI Example:

    salt '*' schedule.disable
`},
		Function{Name: "enable_job", Args: []Arg{name}, VarKw: true, Run: scheduleSwitchJob("enable", "Enabled", true), Doc: `
Enable the job of this name. persist=False does not save that.

CLI Example:

    salt '*' schedule.enable_job job1
`},
		Function{Name: "disable_job", Args: []Arg{name}, VarKw: true, Run: scheduleSwitchJob("disable", "Disabled", false), Doc: `
Disable the job of this name. persist=False does not save that.

CLI Example:

    salt '*' schedule.disable_job job1
`},
		Function{Name: "run_job", Args: []Arg{name, {Name: "force", Default: false}}, Run: scheduleRunJob, Doc: `
Run the job of this name at once; a disabled one only with force=True. Its
result is returned as usual.

CLI Example:

    salt '*' schedule.run_job job1
`},
		Function{Name: "save", VarKw: true, Run: scheduleSave, Doc: `
Save all jobs except those of the pillar in minion.d/_schedule.conf.

CLI Example:

    salt '*' schedule.save
`},
		Function{Name: "reload", Run: scheduleReload, Doc: `
Reload the jobs of the pillar, and add those of minion.d/schedule.conf.

CLI Example:

    salt '*' schedule.reload
`},
		Function{Name: "move", Args: []Arg{name, {Name: "target", Required: true}}, VarKw: true, Run: scheduleMove, Doc: `
Add the job of this name to the minions that target matches, and delete it here.
The option peer of the master has to allow it.

CLI Example:

    salt web1 schedule.move job1 web2
`},
		Function{Name: "copy", Args: []Arg{name, {Name: "target", Required: true}}, VarKw: true, Run: scheduleCopy, Doc: `
Add the job of this name to the minions that target matches. The option peer of
the master has to allow it.

CLI Example:

    salt web1 schedule.copy job1 'web*'
`},
		Function{Name: "postpone_job", Args: []Arg{name, {Name: "current_time", Required: true}, {Name: "new_time", Required: true}}, VarKw: true, Run: schedulePostpone, Doc: `
Run the job of this name at new_time instead of current_time. time_fmt is the
format of both for strptime, %Y-%m-%dT%H:%M:%S by default. This is not saved.

CLI Example:

    salt '*' schedule.postpone_job job1 2026-12-24T18:00:00 2026-12-27T08:00:00
`},
		Function{Name: "skip_job", Args: []Arg{name, {Name: "current_time", Required: true}}, VarKw: true, Run: scheduleSkip, Doc: `
Skip the run of the job of this name at current_time. time_fmt is its format for
strptime, %Y-%m-%dT%H:%M:%S by default. This is not saved.

CLI Example:

    salt '*' schedule.skip_job job1 2026-12-24T18:00:00
`},
		Function{Name: "show_next_fire_time", Args: []Arg{name}, VarKw: true, Run: scheduleNext, Doc: `
Return the time of the next run of the job name.

CLI Example:

    salt '*' schedule.show_next_fire_time job1
`},
		Function{Name: "job_status", Args: []Arg{name, {Name: "time_fmt", Default: schedule.ISO}}, Run: scheduleStatus, Doc: `
Return the job of this name with the scheduler's records: the last and the next
run, and why it was skipped. time_fmt is the format of times, for strftime.

CLI Example:

    salt '*' schedule.job_status job1
`},
	)
}

// scheduleFields are the fields of a job that are listed.
var scheduleFields = map[string]bool{}

func init() {
	for f := range strings.FieldsSeq(`name maxrunning function splay range when once once_fmt returner jid_include args kwargs seconds minutes hours days
		enabled return_job metadata cron until after return_config return_kwargs run_on_start skip_during_range run_after_skip_range`) {
		scheduleFields[f] = true
	}
}

// jobList selects the jobs to list.
type jobList struct {
	all, enabledOnly, offline bool
	where                     any
}

// schedulePath returns the file of saved jobs.
func schedulePath(c *Call) string {
	include, _ := c.Env.Option("default_include").(string)
	return schedule.SavedPath(confDir(c.Env), include)
}

// savedJobs returns the jobs in schedulePath.
func savedJobs(c *Call) *value.Map {
	m, err := schedule.ReadSaved(schedulePath(c))
	if err != nil {
		logger(c.Env).Error("saved schedule ignored", "err", err)
		return value.NewMap()
	}
	return m
}

// listJobs returns the jobs in the form of schedule.list. There are no jobs if the minion
// does not run.
func listJobs(ctx context.Context, c *Call, l jobList) *value.Map {
	jobs := value.NewMap()
	if l.offline {
		jobs = savedJobs(c)
	} else if answer, err := c.Env.ManageSchedule(ctx, value.NewMap("func", "list", "where", l.where)); err != nil {
		logger(c.Env).Error("schedule not listed", "err", err)
	} else if m := answer.Map("schedule"); m != nil {
		jobs = m
	}
	out := value.NewMap()
	jobs.Range(func(k, v any) bool {
		name := PyStr(k)
		job, ok := v.(*value.Map)
		switch {
		case !ok || name == "enabled" || name == "skip_function" || name == "skip_during_range":
			out.Set(k, v)
			return true
		case strings.HasPrefix(name, "__") && !l.all:
			return true
		}
		job = listed(job)
		if on, _ := job.Get("enabled"); !l.enabledOnly || pyfmt.Truth(on) {
			out.Set(k, job)
		}
		return true
	})
	return out
}

// listed returns the fields of a job that are shown to users.
func listed(job *value.Map) *value.Map {
	out := value.NewMap()
	job.Range(func(k, v any) bool {
		if v == nil || !scheduleFields[PyStr(k)] {
			return true
		}
		switch v {
		case "true":
			v = true
		case "false":
			v = false
		}
		out.Set(k, v)
		return true
	})
	if !out.Has("enabled") {
		out.Set("enabled", true)
	}
	return out
}

func scheduleList(ctx context.Context, c *Call) (any, error) {
	l := jobList{all: c.IsTrue("show_all"), enabledOnly: !c.IsTrue("show_disabled"), offline: c.IsTrue("offline"), where: c.Value("where")}
	jobs := listJobs(ctx, c, l)
	if !c.IsTrue("return_yaml") {
		return jobs, nil
	}
	saved := savedJobs(c)
	for _, k := range jobs.Keys() {
		v, _ := jobs.GetKey(k)
		if job, ok := v.(*value.Map); ok {
			_, is := saved.GetKey(k)
			job = job.Clone()
			job.Set("saved", is)
			jobs.Set(k, job)
		}
	}
	return pyfmt.YAML(value.NewMap("schedule", jobs), pyfmt.YAMLForm{}), nil
}

func scheduleIsEnabled(ctx context.Context, c *Call) (any, error) {
	jobs := listJobs(ctx, c, jobList{})
	name := c.Str("name")
	switch v, ok := jobs.Get(name); {
	case name != "" && ok:
		return v, nil
	case name != "":
		return value.NewMap(), nil
	}
	if v, ok := jobs.Get("enabled"); ok {
		return v, nil
	}
	return true, nil
}

// given reports whether a keyword is given and true.
func (c *Call) given(name string) bool {
	v, _ := c.Kwargs.Get(name)
	return pyfmt.Truth(v)
}

// persists reports whether a change is to be saved.
func (c *Call) persists() bool {
	v, ok := c.Kwargs.Get("persist")
	return !ok || pyfmt.Truth(v)
}

// tests reports whether the minion only shows what would change (option test).
func (c *Call) tests() bool { return pyfmt.Truth(c.Env.Option("test")) }

// scheduleAnswer is the result of functions of this module: comment, result and, if there
// are any, changes.
type scheduleAnswer struct{ *value.Map }

func answered(result bool, comment any, changes bool) scheduleAnswer {
	a := scheduleAnswer{value.NewMap("comment", comment, "result", result)}
	if changes {
		a.Set("changes", value.NewMap())
	}
	return a
}

// say sets result and comment.
func (a scheduleAnswer) say(result bool, comment string) (any, error) {
	a.Set("result", result)
	a.Set("comment", comment)
	return a.Map, nil
}

// note appends a comment.
func (a scheduleAnswer) note(comment string) {
	a.Set("comment", append(a.List("comment"), comment))
}

// changed records a change.
func (a scheduleAnswer) changed(name string, what any) {
	a.Map.Map("changes").Set(name, what)
}

// saveOffline writes the schedule of a minion that does not run.
func saveOffline(c *Call, jobs *value.Map) error {
	if err := schedule.WriteSaved(schedulePath(c), jobs); err != nil {
		return CommandErrorf("%v", err)
	}
	return nil
}

// whereIs returns the part of the schedule that holds a job: opts, pillar or "".
func whereIs(ctx context.Context, c *Call, name string) string {
	for _, where := range []string{"opts", "pillar"} {
		if listJobs(ctx, c, jobList{all: true, where: where}).Has(name) {
			return where
		}
	}
	return ""
}

// readSchedule parses a YAML file.
func readSchedule(b []byte) (*value.Map, error) {
	v, err := pyfmt.ReadYAML(b)
	m, _ := v.(*value.Map)
	return m, err
}
