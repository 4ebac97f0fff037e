package schedule

import (
	"fmt"
	"time"

	"github.com/momtree/mom/salt/pyfmt"
)

// date is a time as people write it. Missing parts are those of today, and a weekday alone
// means the next one.
type date struct {
	year, month, day int          // 0 if missing
	weekday          time.Weekday // with named
	named            bool
	hour, min, sec   int
	nsec             int
	zone             *time.Location // nil means that of the clock
}

// at returns the time that the date means at now.
func (d *date) at(now time.Time) time.Time {
	zone := d.zone
	if zone == nil {
		zone = now.Location()
	}
	now = now.In(zone)
	year, month, day := now.Date()
	if d.year != 0 {
		year = d.year
	}
	if d.month != 0 {
		month = time.Month(d.month)
	}
	if d.day != 0 {
		day = d.day
	}
	if last := time.Date(year, month+1, 0, 0, 0, 0, 0, zone).Day(); day > last {
		day = last
	}
	if d.named && d.day == 0 {
		on := time.Date(year, month, day, 0, 0, 0, 0, zone).Weekday()
		day += (int(d.weekday) - int(on) + 7) % 7
	}
	return time.Date(year, month, day, d.hour, d.min, d.sec, d.nsec, zone)
}

// next returns the next occurrence: each day, week or year, depending on the missing parts, or
// never.
func (d *date) next(from time.Time) (time.Time, bool) {
	t := d.at(from)
	if t.After(from) {
		return t, true
	}
	y, m, day := t.Date()
	switch {
	case d.year != 0:
		return t, false
	case d.month != 0:
		y++
		if last := time.Date(y, m+1, 0, 0, 0, 0, 0, t.Location()).Day(); d.day > last {
			day = last
		} else if d.day != 0 {
			day = d.day
		}
	case d.named:
		day += 7
	default:
		day++
	}
	return time.Date(y, m, day, d.hour, d.min, d.sec, d.nsec, t.Location()), true
}

// whens are several dates; the earliest is next.
type whens []*date

func (w whens) next(from time.Time) (first time.Time, ok bool) {
	for _, d := range w {
		if t, is := d.next(from); is && (!ok || t.Before(first)) {
			first, ok = t, true
		}
	}
	return first, ok
}

// when reads a date or a list of dates, each of which may be the name of an entry in whens of
// the minion's pillar or grains.
func (r *reader) when(v any) (trigger, error) {
	l, ok := v.([]any)
	if !ok {
		l = []any{v}
	}
	var out whens
	for _, e := range l {
		if name, ok := e.(string); ok && r.o.Whens != nil {
			if named, is := r.o.Whens(name); is {
				e = named
				r.used += name + ": " + pyfmt.Repr(named) + "\n"
			}
		}
		d, err := r.parseDate(e)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// date reads a date field; it returns nil if the field is absent.
func (r *reader) date(name string) *date {
	v, _ := r.m.Get(name)
	if v == nil {
		return nil
	}
	d, err := r.parseDate(v)
	if err != nil {
		r.fault("%s: %w", name, err)
	}
	return d
}

func (r *reader) parseDate(v any) (*date, error) {
	switch v := v.(type) {
	case time.Time:
		return &date{
			year: v.Year(), month: int(v.Month()), day: v.Day(), hour: v.Hour(), min: v.Minute(), sec: v.Second(), nsec: v.Nanosecond(),
		}, nil
	case string:
		return parseDate(v, r.now)
	}
	return nil, fmt.Errorf("%s is not a text; YAML reads 17:00 as a number unless it is between quotes", pyfmt.Str(v))
}
