package scheduler

import (
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/schedule"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// The sources of jobs, as the event manage_schedule names them.
const (
	everywhere = ""
	inOption   = "opts"
	inPillar   = "pillar"
)

// settings are the keys of a schedule that are not jobs.
var settings = map[string]bool{"enabled": true, "skip_function": true, "skip_during_range": true, "splay": true}

// jobs returns the schedule as written. The option has precedence over the pillar. The caller
// owns the map, but not its values. s.mu is held.
func (s *Scheduler) jobs(where string) *wire.Map {
	out := wire.NewMap()
	lay := func(m *wire.Map) {
		if m != nil {
			m.Range(func(k, v any) bool { out.Set(k, v); return true })
		}
	}
	if where != inOption {
		lay(s.pillar.Map("schedule"))
	}
	if where != inPillar {
		lay(s.option)
	}
	return out
}

// shown returns the schedule as Salt shows and saves it: each job that was evaluated has the
// fields that Salt adds. s.mu is held.
func (s *Scheduler) shown(where string) *wire.Map {
	out := s.jobs(where)
	if !s.loaded {
		return out
	}
	now := s.moment()
	stand := map[string]schedule.Status{}
	for _, st := range s.table.Statuses(now) {
		stand[st.Key] = st
	}
	for _, k := range out.Keys() {
		v, _ := out.GetKey(k)
		m, ok := v.(*wire.Map)
		if !ok || settings[pyfmt.Str(k)] {
			continue
		}
		if st, ok := stand[pyfmt.Str(k)]; ok && st.Looked {
			out.Set(k, s.standing(m, st, now.Wall))
		}
	}
	return out
}

// standing adds the status of a job under the names that Salt uses.
func (s *Scheduler) standing(m *wire.Map, st schedule.Status, now time.Time) *wire.Map {
	m = m.Clone()
	set := func(name string, v any) {
		if !m.Has(name) {
			m.Set(name, v)
		}
	}
	set("name", st.Key)
	set("_next_fire_time", face(st.Next))
	if st.Splay > 0 {
		set("_splay", face(st.Next))
	} else {
		set("_splay", nil)
	}
	if v, _ := m.Get("run_on_start"); v == true {
		set("_run_on_start", false)
	}
	if st.Every > 0 {
		set("_seconds", int64(st.Every/time.Second))
	}
	if !st.Next.IsZero() {
		set("_next_scheduled_fire_time", face(st.Next.Add(-st.Splay)))
	}
	if timed(m) {
		set("splay", nil)
	}
	if !st.Last.IsZero() {
		if v, ok := m.Get("jid_include"); !ok || v == true {
			set("jid_include", true)
			set("maxrunning", int64(1))
		}
		m.Set("run", st.Skipped == "")
		m.Set("_last_run", face(st.Last))
	}
	if m.Has("run_explicit") {
		m.Set("run", false)
	}
	// Salt forgets a skip at its next evaluation, but skips a disabled job again each time.
	if recent := now.Sub(st.SkippedAt) <= s.o.Config.LoopInterval; !st.Enabled || st.Skipped != "" && recent {
		at, why := now, "disabled"
		if st.Enabled {
			at, why = st.SkippedAt, st.Skipped
		}
		m.Set("_skip_reason", why)
		m.Set("_skipped_time", face(at))
		m.Set("_skipped", true)
	}
	return m
}

// face returns the local time without its zone, as Python's schedule has it; nil for the zero
// time.
func face(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	y, mo, d := t.Date()
	h, mi, s := t.Clock()
	return time.Date(y, mo, d, h, mi, s, t.Nanosecond(), time.UTC)
}

// lasting returns the part of the option that is saved: without the fields that Salt's
// scheduler adds. s.mu is held.
func (s *Scheduler) lasting() *wire.Map {
	out := s.shown(inOption)
	for _, k := range out.Keys() {
		v, _ := out.GetKey(k)
		m, ok := v.(*wire.Map)
		if !ok {
			continue
		}
		m = m.Clone()
		for _, field := range m.Keys() {
			if name, ok := field.(string); ok && strings.HasPrefix(name, "_") {
				m.Delete(name)
			}
		}
		out.Set(k, m)
	}
	return out
}

// timed reports whether a job says when it runs.
func timed(m *wire.Map) bool {
	return slices.ContainsFunc([]string{"seconds", "minutes", "hours", "days", "when", "cron", "once"}, m.Has)
}
