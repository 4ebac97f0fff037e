package returners

import (
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// FindJob is the function clients use to ask whether a job still runs.
const FindJob = "saltutil.find_job"

// Filter selects jobs. The zero Filter selects all of them.
type Filter struct {
	// Fun and Target are shell globs. They are matched against each function of a job and
	// against its target (each entry of a list target). One match of a list is enough; an
	// empty list matches everything.
	Fun    []string
	Target []string

	Since, Until time.Time // the job's own time lies in [Since, Until); zero = open

	Limit          int  // newest n; 0 = all
	WithoutFindJob bool // leaves out saltutil.find_job
}

// Match reports whether a load passes the filter by function, target and time. It ignores
// Limit.
func (f Filter) Match(l Load) bool {
	if !f.Since.IsZero() && l.At.Before(f.Since) || !f.Until.IsZero() && !l.At.Before(f.Until) {
		return false
	}
	if len(f.Fun) == 0 && len(f.Target) == 0 && !f.WithoutFindJob {
		return true
	}
	funs := l.Funs()
	if f.WithoutFindJob && len(funs) == 1 && funs[0] == FindJob {
		return false
	}
	return anyGlob(f.Fun, funs) && (len(f.Target) == 0 || anyGlob(f.Target, l.Targets()))
}

func anyGlob(patterns, values []string) bool {
	if len(patterns) == 0 {
		return true
	}
	return slices.ContainsFunc(patterns, func(p string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return target.Glob(p, v) })
	})
}

// Funs returns the functions of a load: one, or several for a compound call.
func (l Load) Funs() []string { return l.texts("fun") }

// Fun returns the functions, joined by ",", for display.
func (l Load) Fun() string { return strings.Join(l.Funs(), ",") }

// Targets returns the target of a load: the expression, or the entries of a list.
func (l Load) Targets() []string { return l.texts("tgt") }

// texts returns a field that is a string or a list of strings. It returns nil if the load
// is not a map.
func (l Load) texts(field string) []string {
	var out []string
	_ = wire.Fields(l.Raw, func(key string, val wire.Raw) error {
		if key != field {
			return nil
		}
		if s, err := wire.Str(val); err == nil {
			out = []string{s}
			return nil
		}
		return wire.Elems(val, func(_ int, e wire.Raw) error {
			if s, err := wire.Str(e); err == nil {
				out = append(out, s)
			}
			return nil
		})
	})
	return out
}
