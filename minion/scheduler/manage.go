package scheduler

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// Tag is the tag of events with requests to a scheduler.
const Tag = "manage_schedule"

// order is a kind of request.
type order struct {
	// tag is the tag of the event that answers; "" means no answer.
	tag string
	do  func(s *Scheduler, r request) (*wire.Map, error)
}

// request is a request with its data.
type request struct {
	name    string
	where   string
	persist bool
	data    *wire.Map
}

const tags = "/salt/minion/minion_schedule_"

// orders are the kinds by the field func. init fills it, because its functions refer to it.
var orders map[string]order

func init() {
	orders = map[string]order{
		"list":               {tags + "list_complete", (*Scheduler).list},
		"add":                {tags + "add_complete", (*Scheduler).add},
		"modify":             {"", (*Scheduler).modify},
		"delete":             {tags + "delete_complete", (*Scheduler).remove},
		"enable_job":         {tags + "enabled_job_complete", switchJob(true)},
		"disable_job":        {tags + "disabled_job_complete", switchJob(false)},
		"enable":             {tags + "enabled_complete", switchAll(true)},
		"disable":            {tags + "disabled_complete", switchAll(false)},
		"run_job":            {"", (*Scheduler).runJob},
		"reload":             {"", (*Scheduler).reload},
		"save_schedule":      {tags + "saved", (*Scheduler).save},
		"postpone_job":       {tags + "postpone_job_complete", (*Scheduler).postpone},
		"skip_job":           {tags + "skip_job_complete", (*Scheduler).skip},
		"get_next_fire_time": {tags + "next_fire_time_complete", (*Scheduler).nextTime},
		"job_status":         {tags + "job_status_complete", (*Scheduler).status},
	}
}

// AnswerTag returns the tag of the event that answers a request; "" if none does.
func AnswerTag(data *wire.Map) string { return orders[data.String("func")].tag }

// Manage executes the request in the data of an event, fires the event that answers, and
// returns its data, nil if there is no answer.
func (s *Scheduler) Manage(data *wire.Map) (*wire.Map, error) {
	name := data.String("func")
	o, ok := orders[name]
	if !ok {
		return nil, fmt.Errorf("manage the schedule: function %q is unavailable", name)
	}
	s.mu.Lock()
	answer, err := o.do(s, request{name: data.String("name"), where: data.String("where"), persist: data.Bool("persist"), data: data})
	s.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("manage the schedule: %s: %w", name, err)
	}
	if o.tag == "" {
		return nil, nil
	}
	s.o.Fire(o.tag, answer)
	return answer, nil
}

// whole returns the current schedule, and saves it if the request says so. s.mu is held here
// and in all functions below.
func (s *Scheduler) whole(r request) (*wire.Map, error) {
	s.load()
	if r.persist {
		s.persist()
	}
	return wire.NewMap("complete", true, "schedule", s.shown(everywhere)), nil
}

// persist saves the option. It only logs an error, as in Salt: the change takes effect anyway.
func (s *Scheduler) persist() {
	include, _ := s.o.Config.Raw["default_include"].(string)
	if err := schedule.WriteSaved(schedule.SavedPath(s.o.Config.Dir, include), s.lasting()); err != nil {
		s.o.Log.Error("schedule not saved", "err", err)
	}
}

// set adds a job to the option.
func (s *Scheduler) set(name string, job any) {
	s.option = s.option.Clone()
	s.option.Set(name, job)
}

// job returns a job in the option.
func (s *Scheduler) job(name string) (*wire.Map, bool) {
	v, ok := s.option.Get(name)
	m, is := v.(*wire.Map)
	return m, ok && is
}

// kept reports, and logs, that a job is in the pillar, which only the master changes.
func (s *Scheduler) kept(name, what string) bool {
	if jobs := s.pillar.Map("schedule"); jobs == nil || !jobs.Has(name) {
		return false
	}
	s.o.Log.Warn(fmt.Sprintf("Cannot %s job %s, it's in the pillar!", what, name)) //nolint:sloglint // Salt's text
	return true
}

func (s *Scheduler) list(r request) (*wire.Map, error) {
	return wire.NewMap("complete", true, "schedule", s.shown(r.where)), nil
}

func (s *Scheduler) add(r request) (*wire.Map, error) {
	jobs := r.data.Map("schedule")
	if jobs.Len() != 1 {
		return nil, errors.New("You can only schedule one new job at a time.")
	}
	name := pyfmt.Str(jobs.Keys()[0])
	v, _ := jobs.GetKey(jobs.Keys()[0])
	job, ok := v.(*wire.Map)
	if !ok {
		return nil, errors.New("Scheduled jobs have to be of type dict.")
	}
	if !s.kept(name, "update") {
		if job = job.Clone(); !job.Has("enabled") {
			job.Set("enabled", true)
		}
		s.set(name, job)
	}
	return s.whole(r)
}

func (s *Scheduler) modify(r request) (*wire.Map, error) {
	job := r.data.Map("schedule")
	if job.Len() == 0 {
		return nil, fmt.Errorf("there is no job to put in the place of %s", r.name)
	}
	if !s.option.Has(r.name) && s.kept(r.name, "modify") {
		return nil, nil
	}
	s.set(r.name, job)
	return s.whole(r)
}

func (s *Scheduler) remove(r request) (*wire.Map, error) {
	if s.option.Has(r.name) {
		s.option = s.option.Clone()
		s.option.Delete(r.name)
	} else {
		s.kept(r.name, "delete")
	}
	return s.whole(r)
}

func switchJob(on bool) func(*Scheduler, request) (*wire.Map, error) {
	return func(s *Scheduler, r request) (*wire.Map, error) {
		if job, ok := s.job(r.name); ok {
			job = job.Clone()
			job.Set("enabled", on)
			s.set(r.name, job)
		} else {
			s.kept(r.name, "modify")
		}
		return s.whole(r)
	}
}

func switchAll(on bool) func(*Scheduler, request) (*wire.Map, error) {
	return func(s *Scheduler, r request) (*wire.Map, error) {
		s.set("enabled", on)
		return s.whole(r)
	}
}

func (s *Scheduler) runJob(r request) (*wire.Map, error) {
	if !s.loaded {
		return nil, errors.New("no job can be run before the minion has a master")
	}
	found, err := s.loop.Now(s.ctx, r.name) // it continues if the caller has gone
	if err == nil && !found {
		err = fmt.Errorf("there is no job %s that can be run", r.name)
	}
	return nil, err
}

func (s *Scheduler) reload(r request) (*wire.Map, error) {
	jobs := r.data.Map("schedule")
	if inner := jobs.Map("schedule"); inner != nil {
		jobs = inner
	}
	if jobs.Len() == 0 {
		return nil, errors.New("there is no schedule in it")
	}
	s.option = s.option.Clone()
	jobs.Range(func(k, v any) bool { s.option.Set(k, v); return true })
	s.load()
	return nil, nil
}

func (s *Scheduler) save(request) (*wire.Map, error) {
	s.persist()
	return wire.NewMap("complete", true), nil
}

// explicit adds a time to a list in a job.
func (s *Scheduler) explicit(name, list string, at, form any) {
	job, ok := s.job(name)
	if !ok {
		s.kept(name, "modify")
		return
	}
	old := job.List(list)
	if len(old) >= maxExplicit {
		old = old[1:]
	}
	job = job.Clone()
	job.Set(list, append(append([]any{}, old...), wire.NewMap("time", at, "time_fmt", form)))
	s.set(name, job)
}

// maxExplicit bounds the times in a list of a job.
const maxExplicit = 1000

func (s *Scheduler) postpone(r request) (*wire.Map, error) {
	at, _ := r.data.Get("time")
	later, _ := r.data.Get("new_time")
	form := timeForm(r.data)
	s.explicit(r.name, "skip_explicit", at, form)
	s.explicit(r.name, "run_explicit", later, form)
	return s.whole(r)
}

func (s *Scheduler) skip(r request) (*wire.Map, error) {
	at, _ := r.data.Get("time")
	s.explicit(r.name, "skip_explicit", at, timeForm(r.data))
	return s.whole(r)
}

func timeForm(data *wire.Map) string {
	if form := data.String("time_fmt"); form != "" {
		return form
	}
	return schedule.ISO
}

func (s *Scheduler) nextTime(r request) (*wire.Map, error) {
	var next any
	for _, st := range s.statuses() {
		if st.Key == r.name && !st.Next.IsZero() {
			next = schedule.Text(st.Next)
		}
	}
	return wire.NewMap("complete", true, "next_fire_time", next), nil
}

func (s *Scheduler) statuses() []schedule.Status {
	if !s.loaded {
		return nil
	}
	return s.table.Statuses(s.moment())
}

func (s *Scheduler) status(r request) (*wire.Map, error) {
	v, _ := s.shown(everywhere).Get(r.name)
	job, ok := v.(*wire.Map)
	if !ok {
		job = wire.NewMap()
	}
	return wire.NewMap("complete", true, "data", job), nil
}
