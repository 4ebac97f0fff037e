package schedule

import (
	"time"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// splay is a random delay in seconds, between from and to. A to of 0 means no delay.
type splay struct{ from, to int }

func (r *reader) splay(name string) (s splay) {
	v, _ := r.m.Get(name)
	if v == nil || v == false {
		return s
	}
	if m, ok := v.(*value.Map); ok {
		in := &reader{m: m}
		s = splay{in.number("start"), in.number("end")}
		if in.err != nil || s.from < 0 || s.to < s.from || s.to == 0 {
			r.fault("%s: Invalid Splay, end must be larger than start", name)
			return splay{}
		}
		return s
	}
	n, err := whole(v)
	if err != nil || n < 0 {
		r.fault("%s=%s is neither a number of seconds nor start and end", name, pyfmt.Str(v))
	}
	if n > 0 {
		s = splay{1, n}
	}
	return s
}

// window is a range of time from start to end, both included.
type window struct {
	start, end *date
	invert     bool
}

// window reads a window; it returns nil if the field is absent.
func (r *reader) window(name string) *window {
	m := r.mapping(name)
	if m == nil {
		return nil
	}
	in := &reader{m: m, now: r.now}
	w := &window{in.date("start"), in.date("end"), in.flag("invert", false)}
	switch {
	case in.err != nil:
		r.fault("%s: %w", name, in.err)
	case w.start == nil || w.end == nil:
		r.fault("%s wants start and end", name)
	case !w.end.at(r.now).After(w.start.at(r.now)):
		r.fault("Invalid %s, end must be larger than start", name)
	}
	return w
}

// has reports whether the window contains now.
func (w *window) has(now time.Time) bool {
	start, end := w.start.at(now), w.end.at(now)
	if w.invert {
		return !now.After(start) || !now.Before(end)
	}
	return !now.Before(start) && !now.After(end)
}
