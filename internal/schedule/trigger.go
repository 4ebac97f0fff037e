package schedule

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/cronexpr"
	"github.com/ncruces/go-strftime"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// units are the fields for intervals, in seconds.
var units = []struct {
	name string
	of   time.Duration
}{{"seconds", time.Second}, {"minutes", time.Minute}, {"hours", time.Hour}, {"days", 24 * time.Hour}}

// maxEvery bounds an interval: a hundred years.
const maxEvery = 100 * 365 * 24 * time.Hour

// isoForm is Salt's format of times unless once_fmt or time_fmt is set.
const isoForm = "%Y-%m-%dT%H:%M:%S"

var errNoNumber = errors.New("no number")

// whole converts a value like Python's int: it truncates floats and parses strings.
func whole(v any) (int, error) {
	if s, ok := v.(string); ok {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		return n, err
	}
	f, ok := pyfmt.Number(v)
	if !ok || math.IsNaN(f) || math.Abs(f) > 1e12 {
		return 0, errNoNumber
	}
	return int(f), nil
}

// times reads the fields that determine when a job runs.
func (r *reader) times(j *Job) {
	var by []string
	interval := false
	for _, u := range units {
		if !r.m.Has(u.name) {
			continue
		}
		interval = true
		n := r.number(u.name)
		if n < 0 || time.Duration(n) > maxEvery/u.of {
			r.fault("%s=%d is no time between two runs", u.name, n)
			return
		}
		j.every += time.Duration(n) * u.of
	}
	if interval {
		by = append(by, "seconds, minutes, hours and days")
		if j.every == 0 && r.err == nil {
			r.fault("there is no time between two runs: set seconds to 1 or more")
		}
	}
	for _, wall := range []struct {
		name string
		read func(any) (trigger, error)
	}{{"when", r.when}, {"cron", r.cron}, {"once", r.once}} {
		v, _ := r.m.Get(wall.name)
		if v == nil {
			continue
		}
		by = append(by, wall.name)
		t, err := wall.read(v)
		if err != nil {
			r.fault("%s: %w", wall.name, err)
		}
		j.trigger = t
	}
	switch {
	case len(by) > 1:
		r.fault("it can be run by one of seconds (minutes, hours, days), when, cron and once, not by several")
	case len(by) == 0 && !r.o.Idle && !r.m.Has("run_explicit") && !r.flag("run_on_start", false):
		r.fault("it says not when to run: by seconds, minutes, hours, days, when, cron or once")
	}
}

// cron is a cron expression.
type cron struct{ *cronexpr.Expression }

func (c cron) next(from time.Time) (time.Time, bool) {
	t := c.Next(from)
	return t, !t.IsZero()
}

// cron reads five fields, six with the seconds as the last, or a word such as @daily.
func (r *reader) cron(v any) (trigger, error) {
	text, ok := v.(string)
	if !ok {
		return nil, fmt.Errorf("%s is not a text; put it between quotes", pyfmt.Str(v))
	}
	words := strings.Fields(text)
	switch {
	case len(words) == 1 && strings.HasPrefix(text, "@"), len(words) == 5:
	case len(words) == 6: // croniter has the seconds last
		words = append([]string{words[5]}, append(words[:5:5], "*")...)
	default:
		return nil, fmt.Errorf("%q has %d fields; it takes minute, hour, day, month, weekday, and if need be second", text, len(words))
	}
	e, err := cronexpr.Parse(strings.Join(words, " "))
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return cron{e}, nil
}

// once is a single time.
type once time.Time

func (o once) next(from time.Time) (time.Time, bool) {
	t := time.Time(o)
	return t, t.After(from)
}

func (r *reader) once(v any) (trigger, error) {
	form := r.m.String("once_fmt")
	t, err := stamp(v, form, r.now.Location())
	return once(t), err
}

// stamp parses a time in a format of strptime, in the time zone at.
func stamp(v any, form string, at *time.Location) (time.Time, error) {
	if form == "" {
		form = isoForm
	}
	switch v := v.(type) {
	case time.Time:
		return local(v, at), nil
	case string:
		t, err := strftime.Parse(form, v)
		if err != nil {
			return t, fmt.Errorf("%q does not fit the form %s", v, form)
		}
		return local(t, at), nil
	}
	return time.Time{}, fmt.Errorf("%s is no time; put it between quotes", pyfmt.Str(v))
}

// local returns the time with the same clock reading in the time zone at.
func local(t time.Time, at *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), at)
}

// explicit reads a list of {time, time_fmt}.
func (r *reader) explicit(name string) (out []time.Time) {
	v, _ := r.m.Get(name)
	if v == nil {
		return nil
	}
	l, ok := v.([]any)
	if !ok {
		r.fault("%s is not a list: %s", name, pyfmt.Str(v))
	}
	for _, e := range l {
		form := ""
		if m, ok := e.(*value.Map); ok {
			form, e = m.String("time_fmt"), m.String("time")
		}
		t, err := stamp(e, form, r.now.Location())
		if err != nil {
			r.fault("%s: %w", name, err)
		}
		out = append(out, t)
	}
	return out
}
