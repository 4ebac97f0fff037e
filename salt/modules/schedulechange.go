package modules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// deletion returns the request that deletes a job.
func deletion(name string, persist bool) *value.Map {
	return value.NewMap("name", name, "func", "delete", "persist", persist)
}

func scheduleDelete(ctx context.Context, c *Call) (any, error) {
	return deleteJob(ctx, c, c.Str("name"))
}

func deleteJob(ctx context.Context, c *Call, name string) (any, error) {
	failed := fmt.Sprintf("Failed to delete job %s from schedule.", name)
	ret := answered(false, failed, true)
	deleted := fmt.Sprintf("Deleted Job %s from schedule.", name)
	switch {
	case c.given("test"):
		return ret.say(true, fmt.Sprintf("Job: %s would be deleted from schedule.", name))
	case c.given("offline"):
		jobs := listJobs(ctx, c, jobList{all: true, offline: true})
		if !jobs.Has(name) {
			return ret.say(false, fmt.Sprintf("Job %s does not exist.", name))
		}
		jobs.Delete(name)
		if err := saveOffline(c, jobs); err != nil {
			return nil, err
		}
		ret.changed(name, "removed")
		return ret.say(true, deleted)
	}
	where := whereIs(ctx, c, name)
	if where == "" {
		return ret.say(false, fmt.Sprintf("Job %s does not exist.", name))
	}
	request := deletion(name, c.persists() && where == "opts")
	if where == "pillar" {
		request.Set("where", where)
	}
	answer, err := c.Env.ManageSchedule(ctx, request)
	if err != nil || holds(answer, name) {
		return ret.Map, nil
	}
	ret.changed(name, "removed")
	return ret.say(true, deleted)
}

func schedulePurge(ctx context.Context, c *Call) (any, error) {
	ret := answered(true, []any{}, true)
	offline := c.given("offline")
	jobs := listJobs(ctx, c, jobList{all: true, offline: offline})
	for _, k := range jobs.Keys() {
		name := PyStr(k)
		switch {
		case name == "enabled", strings.HasPrefix(name, "__"):
		case c.given("test"):
			ret.note(fmt.Sprintf("Job: %s would be deleted from schedule.", name))
		case offline:
			jobs.Delete(k)
			ret.note(fmt.Sprintf("Deleted job: %s from schedule.", name))
			ret.changed(name, "removed")
		default:
			answer, err := c.Env.ManageSchedule(ctx, deletion(name, c.persists()))
			if err != nil || holds(answer, name) {
				ret.note(fmt.Sprintf("Failed to delete job %s from schedule.", name))
				continue
			}
			ret.note(fmt.Sprintf("Deleted job: %s from schedule.", name))
			ret.changed(name, "removed")
		}
	}
	if offline && !c.given("test") {
		if err := saveOffline(c, jobs); err != nil {
			return nil, err
		}
	}
	return ret.Map, nil
}

// scheduleSwitch returns a function that enables or disables the scheduler.
func scheduleSwitch(verb, done string, on bool) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		ret := answered(true, []any{}, true)
		if c.given("test") {
			return ret.say(true, fmt.Sprintf("Schedule would be %s.", done))
		}
		answer, err := c.Env.ManageSchedule(ctx, value.NewMap("func", verb, "persist", c.persists()))
		if err != nil {
			logger(c.Env).Error("schedule not changed", "err", err)
			return ret.Map, nil
		}
		if jobs := answer.Map("schedule"); jobs == nil || !jobs.Has("enabled") || jobs.Bool("enabled") != on {
			return ret.say(false, fmt.Sprintf("Failed to %s schedule on minion.", verb))
		}
		ret.changed("schedule", done)
		return ret.say(true, strings.ToUpper(done[:1])+done[1:]+" schedule on minion.")
	}
}

// scheduleSwitchJob returns a function that enables or disables one job.
func scheduleSwitchJob(verb, done string, on bool) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		name := c.Str("name")
		ret := answered(true, []any{}, true)
		// As in Salt, one checks the option test, the other the keyword.
		if on && c.tests() || !on && c.given("test") {
			return ret.say(true, fmt.Sprintf("Job: %s would be %sd in schedule.", name, verb))
		}
		where := whereIs(ctx, c, name)
		if where == "" {
			return ret.say(false, fmt.Sprintf("Job %s does not exist.", name))
		}
		request := value.NewMap("name", name, "func", verb+"_job", "persist", c.persists() && where == "opts")
		if where == "pillar" {
			request.Set("where", where)
		}
		answer, err := c.Env.ManageSchedule(ctx, request)
		if err != nil {
			logger(c.Env).Error("job not changed", "job", name, "err", err)
			return ret.Map, nil
		}
		if !holds(answer, name) || isOn(answer, name) != on {
			return ret.say(false, fmt.Sprintf("Failed to %s job %s in schedule.", verb, name))
		}
		ret.changed(name, verb+"d")
		return ret.say(true, fmt.Sprintf("%s Job %s in schedule.", done, name))
	}
}

// isOn reports whether a job of an answer is enabled.
func isOn(answer *value.Map, name string) bool {
	job := answer.Map("schedule").Map(name)
	if job == nil {
		return false
	}
	v, ok := job.Get("enabled")
	return !ok || pyfmt.Truth(v)
}

func scheduleRunJob(ctx context.Context, c *Call) (any, error) {
	name := c.Str("name")
	ret := answered(true, []any{}, false)
	v, ok := listJobs(ctx, c, jobList{all: true}).Get(name)
	if !ok {
		return ret.say(false, fmt.Sprintf("Job %s does not exist.", name))
	}
	if job, is := v.(*value.Map); is && !c.IsTrue("force") {
		if on, has := job.Get("enabled"); has && !pyfmt.Truth(on) {
			return ret.say(true, fmt.Sprintf("Job %s is disabled.", name))
		}
	}
	if _, err := c.Env.ManageSchedule(ctx, value.NewMap("name", name, "func", "run_job")); err != nil {
		logger(c.Env).Error("job not run", "job", name, "err", err)
		return ret.say(false, fmt.Sprintf("Failed to run job %s on minion.", name))
	}
	return ret.say(true, fmt.Sprintf("Scheduling Job %s on minion.", name))
}

func scheduleSave(ctx context.Context, c *Call) (any, error) {
	ret := answered(true, []any{}, false)
	if c.given("test") {
		return ret.say(true, "Schedule would be saved.")
	}
	if _, err := c.Env.ManageSchedule(ctx, value.NewMap("func", "save_schedule")); err != nil {
		logger(c.Env).Error("schedule not saved", "err", err)
		return ret.say(false, "Failed to save schedule.")
	}
	return ret.say(true, "Schedule (non-pillar items) saved.")
}

func scheduleReload(ctx context.Context, c *Call) (any, error) {
	ret := answered(true, []any{}, false)
	if c.Env.Pillar().Has("schedule") {
		if err := c.Env.FireLocal("pillar_refresh", value.NewMap()); err != nil {
			ret.Set("result", false)
			ret.note("Failed to reload schedule from pillar on minion.")
		} else {
			ret.note("Reloaded schedule from pillar on minion.")
		}
	}
	b, err := os.ReadFile(filepath.Join(filepath.Dir(schedulePath(c)), "schedule.conf"))
	if errors.Is(err, fs.ErrNotExist) {
		return ret.Map, nil
	}
	var file *value.Map
	if err == nil {
		file, err = readSchedule(b)
	}
	if err != nil {
		ret.note(fmt.Sprintf("Unable to read existing schedule file: %v", err))
	}
	if file == nil || file.Map("schedule").Len() == 0 {
		ret.Set("result", false)
		ret.note("Failed to reload schedule on minion.  Saved file is empty or invalid.")
		return ret.Map, nil
	}
	if _, err := c.Env.ManageSchedule(ctx, value.NewMap("func", "reload", "schedule", file)); err != nil {
		ret.Set("result", false)
		ret.note("Failed to reload schedule on minion from schedule.conf.")
		return ret.Map, nil
	}
	ret.note("Reloaded schedule on minion from schedule.conf.")
	return ret.Map, nil
}
