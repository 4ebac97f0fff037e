package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Job is one entry of the option schedule.
type Job struct {
	// Name is the key of the entry, or its field name.
	Name     string
	Function string
	Args     []any
	Kwargs   *value.Map
	Enabled  bool
	// DryRun skips the run and does everything else.
	DryRun bool
	// MaxRunning is the number of runs that may run at once; 0 means any number, as with
	// jid_include: False.
	MaxRunning int
	// Returners are the returners that get the result.
	Returners []string
	// ReturnConfig and ReturnKwargs are passed to the returners.
	ReturnConfig string
	ReturnKwargs *value.Map
	// ReturnJob reports whether the result is sent to the master, NoCache that the master does
	// not store it.
	ReturnJob, NoCache bool
	// Metadata is sent with the result; it may be nil.
	Metadata *value.Map

	trigger   trigger       // by the wall clock; nil means every
	every     time.Duration // the interval
	splay     splay
	rng       *window // range
	skip      *window // skip_during_range
	afterSkip bool    // run_after_skip_range
	until     *date
	after     *date
	onStart   bool
	runAt     []time.Time // run_explicit
	skipAt    []time.Time // skip_explicit
	finger    string      // the whole entry as text; a different text is a different job
	timing    string      // the fields about time, as text
}

// trigger computes the times at which a job is due by the wall clock.
type trigger interface {
	// next returns the first time after from; false means never.
	next(from time.Time) (time.Time, bool)
}

// fields are the known fields of an entry.
var fields = []string{
	"after", "args", "cron", "days", "dry_run", "enabled", "fun", "func", "function", "hours", "jid_include", "kwargs", "maxrunning",
	"metadata", "minutes", "name", "once", "once_fmt", "range", "return_config", "return_job", "return_kwargs", "returner",
	"run_after_skip_range", "run_explicit", "run_on_start", "seconds", "skip_during_range", "skip_explicit", "splay", "until", "when",
}

// global are the keys of schedule that are not jobs.
var global = []string{"enabled", "skip_function", "skip_during_range", "splay"}

// reader reads the fields of one entry. It keeps the first fault.
type reader struct {
	m   *value.Map
	o   Options
	now time.Time
	err error
	// used are the dates that replaced names; with other dates it is a different job.
	used string
}

func (r *reader) fault(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// Parse reads one entry. name is its key; now is the time to which words such as 5:00pm are
// relative. The error describes the fault without the name of the entry.
func Parse(name string, m *value.Map, o Options, now time.Time) (*Job, error) {
	r := &reader{m: m, o: o, now: now}
	j := &Job{Name: name, Enabled: r.flag("enabled", true), DryRun: r.flag("dry_run", false), finger: pyfmt.Repr(m), timing: pyfmt.Repr(timing(m))}
	for _, k := range m.Keys() {
		if s, ok := k.(string); ok && (slices.Contains(fields, s) || strings.HasPrefix(s, "_")) {
			continue
		}
		if o.Unknown == nil {
			r.fault("unknown field %v", k)
		} else {
			o.Unknown(name, pyfmt.Str(k))
		}
	}
	if n := m.String("name"); n != "" {
		j.Name = n
	}
	for _, k := range []string{"function", "func", "fun"} {
		if j.Function = m.String(k); j.Function != "" {
			break
		}
	}
	if j.Function == "" {
		r.fault("it names no function")
	}
	r.arguments(j)
	r.results(j)
	r.times(j)
	r.limits(j)
	j.finger += r.used
	j.timing += r.used
	return j, r.err
}

// flag reads a boolean.
func (r *reader) flag(name string, def bool) bool {
	switch v, _ := r.m.Get(name); v := v.(type) {
	case nil:
		return def
	case bool:
		return v
	default:
		r.fault("%s=%v is neither True nor False", name, pyfmt.Str(v))
		return def
	}
}

func (r *reader) arguments(j *Job) {
	if v, ok := r.m.Get("args"); ok && v != nil {
		l, ok := v.([]any)
		if !ok {
			r.fault("args is not a list: %s", pyfmt.Str(v))
		}
		j.Args = l
	}
	j.Kwargs = r.mapping("kwargs")
}

// mapping reads a map; it returns nil if the field is absent.
func (r *reader) mapping(name string) *value.Map {
	v, _ := r.m.Get(name)
	if v == nil {
		return nil
	}
	m, ok := v.(*value.Map)
	if !ok {
		r.fault("%s is not a mapping: %s", name, pyfmt.Str(v))
	}
	return m
}

// results reads the fields about the result.
func (r *reader) results(j *Job) {
	j.ReturnJob = true
	switch v, _ := r.m.Get("return_job"); v := v.(type) {
	case nil:
	case bool:
		j.ReturnJob = v
	default:
		if v != "nocache" {
			r.fault("return_job=%s is not True, False or nocache", pyfmt.Str(v))
		}
		j.NoCache = true
	}
	switch v, _ := r.m.Get("returner"); v := v.(type) {
	case nil:
	case string:
		for n := range strings.SplitSeq(v, ",") {
			if n = strings.TrimSpace(n); n != "" {
				j.Returners = append(j.Returners, n)
			}
		}
	case []any:
		for _, e := range v {
			j.Returners = append(j.Returners, pyfmt.Str(e))
		}
	default:
		r.fault("returner is neither a name nor a list of names: %s", pyfmt.Str(v))
	}
	j.ReturnConfig, j.ReturnKwargs, j.Metadata = r.m.String("return_config"), r.mapping("return_kwargs"), r.mapping("metadata")
}

// limits reads the fields that may prevent a run.
func (r *reader) limits(j *Job) {
	if r.flag("jid_include", true) {
		j.MaxRunning = 1
		if r.m.Has("maxrunning") {
			if j.MaxRunning = r.number("maxrunning"); j.MaxRunning < 1 {
				r.fault("maxrunning=%d lets nothing run", j.MaxRunning)
			}
		}
	}
	j.splay = r.splay("splay")
	j.rng, j.skip = r.window("range"), r.window("skip_during_range")
	j.afterSkip, j.onStart = r.flag("run_after_skip_range", false), r.flag("run_on_start", false)
	j.until, j.after = r.date("until"), r.date("after")
	j.runAt, j.skipAt = r.explicit("run_explicit"), r.explicit("skip_explicit")
}

// number reads an integer; like Python's int, it accepts a string of digits.
func (r *reader) number(name string) int {
	v, _ := r.m.Get(name)
	n, err := whole(v)
	if err != nil {
		r.fault("%s=%s is not a number", name, pyfmt.Str(v))
	}
	return n
}

// timing returns the fields of an entry that determine when it is due.
func timing(m *value.Map) *value.Map {
	out := value.NewMap()
	for _, k := range []string{"seconds", "minutes", "hours", "days", "when", "cron", "once", "once_fmt", "run_on_start"} {
		if v, ok := m.Get(k); ok {
			out.Set(k, v)
		}
	}
	return out
}
