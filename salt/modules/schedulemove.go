package modules

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ncruces/go-strftime"

	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

func scheduleMove(ctx context.Context, c *Call) (any, error) {
	return shareJob(ctx, c, "moved", func(name string) (string, error) {
		_, err := deleteJob(ctx, c, name)
		return fmt.Sprintf("Moved Job %s from schedule.", name), err
	})
}

func scheduleCopy(ctx context.Context, c *Call) (any, error) {
	return shareJob(ctx, c, "copied", func(name string) (string, error) {
		return fmt.Sprintf("Copied Job %s from schedule to minion(s).", name), nil
	})
}

// shareJob adds a job to other minions, and calls then when all of them succeeded.
func shareJob(ctx context.Context, c *Call, done string, then func(name string) (string, error)) (any, error) {
	name := c.Str("name")
	ret := answered(true, []any{}, false)
	if c.given("test") {
		return ret.say(true, fmt.Sprintf("Job: %s would be %s from schedule.", name, done))
	}
	where := whereIs(ctx, c, name)
	if where == "" {
		return ret.say(false, fmt.Sprintf("Job %s does not exist.", name))
	}
	v, _ := listJobs(ctx, c, jobList{all: true, where: where}).Get(name)
	job, ok := v.(*value.Map)
	if !ok {
		return ret.say(false, fmt.Sprintf("Job %s does not exist.", name))
	}
	args, err := jobWords(name, job)
	if err != nil {
		return nil, err
	}
	got, err := c.sub(ctx, "publish.publish", []any{c.Value("target"), "schedule.add", args}, nil)
	if err != nil {
		return nil, err
	}
	minions, faults := []any{}, []any{}
	if answers, ok := got.(*value.Map); ok {
		answers.Range(func(k, v any) bool {
			minions = append(minions, k)
			if m, is := v.(*value.Map); !pyfmt.Truth(v) || is && m.Has("result") && !m.Bool("result") {
				faults = append(faults, k)
			}
			return true
		})
	}
	switch {
	case len(minions) == 0:
		return ret.say(true, "no servers answered the published schedule.add command")
	case len(faults) > 0:
		ret.Set("minions", faults)
		return ret.say(true, "the following minions return False")
	}
	comment, err := then(name)
	if err != nil {
		return nil, err
	}
	ret.Set("minions", minions)
	return ret.say(true, comment)
}

// jobWords returns the arguments with which schedule.add creates this job.
func jobWords(name string, job *value.Map) ([]any, error) {
	args := []any{"name=" + name}
	for _, k := range job.Keys() {
		field := PyStr(k)
		v, _ := job.GetKey(k)
		switch field {
		case "name":
			continue
		case "args", "kwargs":
			field = "job_" + field
		}
		text := PyStr(v)
		switch v.(type) {
		case *value.Map, []any:
			b, err := json.Marshal(value.Plain(v))
			if err != nil {
				return nil, CommandErrorf("encode field %s of job %s: %v", field, name, err)
			}
			text = string(b)
		}
		args = append(args, field+"="+text)
	}
	return args, nil
}

// timeFormat returns the format of the caller's times.
func timeFormat(c *Call) string {
	if v, _ := c.Kwargs.Get("time_fmt"); pyfmt.Truth(v) {
		return PyStr(v)
	}
	return schedule.ISO
}

// fitsForm reports whether a string is a time in a strptime format.
func fitsForm(v any, form string) bool {
	text, ok := v.(string)
	if !ok {
		return false
	}
	_, err := strftime.Parse(form, text)
	return err == nil
}

func schedulePostpone(ctx context.Context, c *Call) (any, error) {
	ret, form := answered(true, []any{}, false), timeFormat(c)
	at, later := c.Value("current_time"), c.Value("new_time")
	switch {
	case c.Str("name") == "":
		return ret.say(false, "Job name is required.")
	case !pyfmt.Truth(at):
		return ret.say(false, "Job current time is required.")
	case !fitsForm(at, form):
		return ret.say(false, "Date string could not be parsed.")
	case !pyfmt.Truth(later):
		return ret.say(false, "Job new_time is required.")
	case !fitsForm(later, form):
		return ret.say(false, "Date string could not be parsed.")
	}
	request := value.NewMap("time", at, "new_time", later, "time_fmt", form, "func", "postpone_job")
	return changeTimes(ctx, c, ret, request, [3]string{"postponed", "Postponed Job %s in schedule.", "postpone"})
}

func scheduleSkip(ctx context.Context, c *Call) (any, error) {
	ret, form := answered(true, []any{}, false), timeFormat(c)
	at := c.Value("current_time")
	if pyfmt.Truth(at) && !fitsForm(at, form) {
		return ret.say(false, "Date string could not be parsed.")
	}
	if !pyfmt.Truth(at) {
		return ret.say(false, "Job time is required.")
	}
	request := value.NewMap("time", at, "time_fmt", form, "func", "skip_job")
	return changeTimes(ctx, c, ret, request, [3]string{"skipped", "Added Skip Job %s in schedule.", "skip"})
}

// changeTimes requests another time of a job. words are the new value, the comment on
// success, and the verb.
func changeTimes(ctx context.Context, c *Call, ret scheduleAnswer, request *value.Map, words [3]string) (any, error) {
	name := c.Str("name")
	if c.tests() {
		return ret.say(true, fmt.Sprintf("Job: %s would be %s in schedule.", name, words[0]))
	}
	where := whereIs(ctx, c, name)
	if where == "" {
		return ret.say(false, fmt.Sprintf("Job %s does not exist.", name))
	}
	request.Set("name", name)
	if where == "pillar" {
		request.Set("where", where)
	}
	answer, err := c.Env.ManageSchedule(ctx, request)
	if err != nil {
		logger(c.Env).Error("times of job not changed", "job", name, "err", err)
	}
	if err != nil || where == "pillar" || !holds(answer, name) || !isOn(answer, name) {
		return ret.say(false, fmt.Sprintf("Failed to %s job %s in schedule.", words[2], name))
	}
	return ret.say(true, fmt.Sprintf(words[1], name))
}

func scheduleNext(ctx context.Context, c *Call) (any, error) {
	ret := value.NewMap("result", true)
	answer, err := c.Env.ManageSchedule(ctx, value.NewMap("name", c.Str("name"), "func", "get_next_fire_time"))
	if err == nil && answer != nil && answer.Has("next_fire_time") {
		next, _ := answer.Get("next_fire_time")
		ret.Set("next_fire_time", next)
		return ret, nil
	}
	ret.Set("comment", "next fire time not available.")
	return ret, nil
}

func scheduleStatus(ctx context.Context, c *Call) (any, error) {
	answer, err := c.Env.ManageSchedule(ctx, value.NewMap("func", "job_status", "name", c.Str("name"), "fire_event", true))
	if err != nil {
		return nil, CommandErrorf("request to the scheduler: %v", err)
	}
	out, form := value.NewMap(), c.Str("time_fmt")
	job := answer.Map("data")
	if job == nil {
		return out, nil
	}
	job.Range(func(k, v any) bool {
		if t, ok := v.(time.Time); ok {
			v = strftime.Format(form, t)
		}
		out.Set(k, v)
		return true
	})
	return out, nil
}
