package modules

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/value"
)

// timeConflict reports whether a job has both an interval and times of day.
func timeConflict(kw *value.Map) bool {
	for _, k := range []string{"seconds", "minutes", "hours", "days"} {
		if kw.Has(k) && (kw.Has("when") || kw.Has("cron")) {
			return true
		}
	}
	return false
}

const whenAndCron = `Unable to use "when" and "cron" options together.  Ignoring.`

// buildJob builds a job from keywords. fault is the function's result if they are invalid.
func buildJob(name string, kw *value.Map) (job *value.Map, fault any, err error) {
	no := func(comment string) (*value.Map, any, error) {
		return nil, answered(false, comment, false).Map, nil
	}
	if name == "" {
		return no("Job name is required.")
	}
	fun, ok := kw.Get("function")
	switch {
	case !ok:
		return nil, nil, &ExceptionError{Type: "KeyError", Msg: PyRepr("function")}
	case timeConflict(kw):
		return no(`Unable to use "seconds", "minutes", "hours", or "days" with "when" or "cron" options.`)
	case kw.Has("when") && kw.Has("cron"):
		return no(whenAndCron)
	}
	job = value.NewMap("function", fun)
	take := func(names ...string) {
		for _, k := range names {
			if v, ok := kw.Get(k); ok {
				job.Set(k, v)
			}
		}
	}
	take("seconds", "minutes", "hours", "days", "return_job", "metadata")
	if v, ok := kw.Get("job_args"); ok {
		if _, is := v.([]any); !is {
			return no("job_args is not a list. please correct and try again.")
		}
		job.Set("args", v)
	}
	if v, ok := kw.Get("job_kwargs"); ok {
		if _, is := v.(*value.Map); !is {
			return no("job_kwargs is not a dict. please correct and try again.")
		}
		job.Set("kwargs", v)
	}
	job.Set("maxrunning", int64(1))
	job.Set("name", name)
	job.Set("enabled", true)
	job.Set("jid_include", true)
	take("maxrunning", "enabled", "jid_include")
	if fault := takeSplay(job, kw); fault != nil {
		return nil, nil, fault
	}
	if v, ok := kw.Get("when"); ok {
		list, is := v.([]any)
		if !is {
			list = []any{v}
		}
		for _, when := range list {
			if schedule.CheckWhen(when, time.Now()) != nil {
				return no(fmt.Sprintf(`Schedule item %s for "when" in invalid.`, PyStr(when)))
			}
		}
	}
	take("range", "when", "once", "once_fmt", "cron", "returner", "after", "return_config", "return_kwargs", "until", "run_on_start", "skip_during_range")
	return job, nil, nil
}

// takeSplay sets the splay; of a map, only start and end.
func takeSplay(job, kw *value.Map) error {
	v, ok := kw.Get("splay")
	if !ok {
		return nil
	}
	if m, is := v.(*value.Map); is {
		own := value.NewMap()
		for _, k := range []string{"start", "end"} {
			x, ok := m.Get(k)
			if !ok {
				return &ExceptionError{Type: "KeyError", Msg: PyRepr(k)}
			}
			own.Set(k, x)
		}
		v = own
	}
	job.Set("splay", v)
	return nil
}

func scheduleBuild(_ context.Context, c *Call) (any, error) {
	job, fault, err := buildJob(c.Str("name"), c.Kwargs)
	if err != nil || fault != nil {
		return fault, err
	}
	return job, nil
}

func scheduleAdd(ctx context.Context, c *Call) (any, error) {
	name, offline := c.Str("name"), c.given("offline")
	ret := answered(false, fmt.Sprintf("Failed to add job %s to schedule.", name), true)
	jobs := listJobs(ctx, c, jobList{all: true, offline: offline})
	switch {
	case jobs.Has(name):
		return ret.say(false, fmt.Sprintf("Job %s already exists in schedule.", name))
	case timeConflict(c.Kwargs):
		return ret.say(false, `Error: Unable to use "seconds", "minutes", "hours", or "days" with "when" or "cron" options.`)
	case c.Kwargs.Has("when") && c.Kwargs.Has("cron"):
		return ret.say(false, whenAndCron)
	}
	job, fault, err := buildJob(name, c.Kwargs)
	if err != nil || fault != nil {
		return fault, err
	}
	added := fmt.Sprintf("Added job: %s to schedule.", name)
	switch {
	case c.given("test"):
		return ret.say(true, fmt.Sprintf("Job: %s would be added to schedule.", name))
	case offline:
		jobs.Set(name, job)
		if err := saveOffline(c, jobs); err != nil {
			return nil, err
		}
	default:
		answer, err := c.Env.ManageSchedule(ctx, value.NewMap("name", name, "schedule", value.NewMap(name, job), "func", "add", "persist", c.persists()))
		if err != nil {
			logger(c.Env).Error("job not added", "job", name, "err", err)
		}
		if err != nil || !holds(answer, name) {
			return ret.Map, nil
		}
	}
	ret.changed(name, "added")
	return ret.say(true, added)
}

// holds reports whether the schedule of an answer has a job.
func holds(answer *value.Map, name string) bool {
	if answer == nil {
		return false
	}
	jobs := answer.Map("schedule")
	return jobs != nil && jobs.Has(name)
}

func scheduleModify(ctx context.Context, c *Call) (any, error) {
	name, offline := c.Str("name"), c.given("offline")
	ret := answered(true, "", true)
	switch {
	case timeConflict(c.Kwargs):
		return ret.say(false, `Error: Unable to use "seconds", "minutes", "hours", or "days" with "when" option.`)
	case c.Kwargs.Has("when") && c.Kwargs.Has("cron"):
		return ret.say(false, whenAndCron)
	}
	jobs := listJobs(ctx, c, jobList{all: true, offline: offline})
	old, ok := jobs.Get(name)
	if !ok {
		return ret.say(false, fmt.Sprintf("Job %s does not exist in schedule.", name))
	}
	current, _ := old.(*value.Map)
	if current == nil {
		return ret.say(false, fmt.Sprintf("%s is a setting of the schedule and no job.", name))
	}
	kw := c.Kwargs
	if !kw.Has("function") {
		kw = kw.Clone()
		fun, _ := current.Get("function")
		kw.Set("function", fun)
	}
	job, fault, err := buildJob(name, kw)
	if err != nil || fault != nil {
		return fault, err
	}
	if equal(job, current) {
		return ret.say(true, fmt.Sprintf("Job %s in correct state", name))
	}
	ret.changed(name, value.NewMap("old", current, "new", job))
	if c.given("test") {
		return ret.say(true, fmt.Sprintf("Job: %s would be modified in schedule.", name))
	}
	if offline {
		both := current.Clone()
		job.Range(func(k, v any) bool { both.Set(k, v); return true })
		jobs.Set(name, both)
		if err := saveOffline(c, jobs); err != nil {
			return nil, err
		}
		return ret.say(true, fmt.Sprintf("Modified job: %s in schedule.", name))
	}
	request := value.NewMap("name", name, "schedule", job, "func", "modify", "persist", c.persists())
	if whereIs(ctx, c, name) == "pillar" {
		request.Set("where", "pillar")
		request.Set("persist", false)
	}
	if _, err := c.Env.ManageSchedule(ctx, request); err != nil {
		logger(c.Env).Error("job not modified", "job", name, "err", err)
		return ret.say(false, fmt.Sprintf("Failed to modify job %s in schedule.", name))
	}
	return ret.say(true, fmt.Sprintf("Modified job: %s in schedule.", name))
}
