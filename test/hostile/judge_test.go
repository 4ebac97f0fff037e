package hostile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/momtree/mom/salt/pyfmt"
)

// permits reports whether rules of a user allow what ran, as a flat Salt master reads them: with
// the values that the parameters had, on that minion. A rule that names a position means the
// parameter that stands there, one that names a keyword the parameter of that name.
func (w *world) permits(u *user, e execution) error {
	if e.kind == minionRules {
		switch {
		case w.banned != "" && fits(w.banned, e.fun, false):
			return errors.New("publisher_acl_blacklist names the function")
		case u == operator:
			return nil
		case e.ret != "":
			return errors.New("no rule allows returners")
		case e.executors:
			return errors.New("no rule allows executors")
		case e.fun == "saltutil.find_job":
			return nil
		}
	}
	for _, r := range u.rules {
		if r.kind == e.kind && (r.to == nil || r.to.means(w.minions[e.minion])) && slices.ContainsFunc(r.funs, func(f funRule) bool { return f.allows(e, w.start) }) {
			return nil
		}
	}
	return errors.New("no rule allows it")
}

// everywhere reports whether what ran is allowed without regard to the minion.
func (w *world) everywhere(u *user, e execution) bool {
	return u == operator || e.fun == "saltutil.find_job" || slices.ContainsFunc(u.rules, func(r rule) bool {
		return r.kind == e.kind && r.to == nil && slices.ContainsFunc(r.funs, func(f funRule) bool { return f.allows(e, w.start) })
	})
}

func (f funRule) allows(e execution, start bool) bool {
	return fits(f.fun, e.fun, start) && (f.with == nil || slices.ContainsFunc(f.with, func(a argRule) bool { return a.allows(e, start) }))
}

func (a argRule) allows(e execution, start bool) bool {
	s := paramsOf(e.kind, e.fun)
	for i, x := range a.args {
		var v any
		ok := false
		if i < len(s.params) {
			v, ok = e.given[s.params[i]]
		} else if i -= len(s.params); i < len(e.rest) {
			v, ok = e.rest[i], true
		}
		if x != nil && !(ok && fits(*x, pyfmt.Str(v), start)) {
			return false
		}
	}
	for name, x := range a.kwargs {
		v, ok := e.given[name]
		if !ok {
			v, ok = e.free[name]
		}
		if !ok || !fits(x, pyfmt.Str(v), start) {
			return false
		}
	}
	return true
}

// fits reports whether an expression of a rule fits a text: whole, or with start its beginning.
func fits(expression, text string, start bool) bool {
	end := `)\z`
	if start {
		end = `)`
	}
	full := `\A(?:` + expression + end
	return cached(&ruleExpressions, full, func() *regexp.Regexp { return regexp.MustCompile(full) }).MatchString(text)
}

var ruleExpressions sync.Map

// check returns what of an act its user may not do, and what an honest user lacks.
func (w *world) check(a *act) error {
	var wrong []string
	for _, e := range slices.Concat(a.ran, a.master) {
		if err := w.permits(a.call.by, e); err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", e, err))
			continue
		}
		if e.kind == minionRules && !w.everywhere(a.call.by, e) {
			if at := w.tierOf[e.minion]; !at.salts && !slices.Contains(a.judged[at.id], e.minion) {
				wrong = append(wrong, fmt.Sprintf("%s: the minion is not among those that %s judged, %v", e, at.id, a.judged[at.id]))
			}
		}
	}
	wrong = append(wrong, w.lacks(a)...)
	if len(wrong) == 0 {
		return nil
	}
	return errors.New(strings.Join(wrong, "\n"))
}

// lacks returns where an honest call has not run.
func (w *world) lacks(a *act) (wrong []string) {
	c := a.call
	fun, _ := c.fun.(string)
	if !c.honest || c.kind == minionRules && w.banned != "" && fits(w.banned, fun, false) {
		return nil
	}
	if c.kind != minionRules {
		if len(a.master) != 1 {
			wrong = append(wrong, fmt.Sprintf("an honest call of %s ran %d times; the answer was %s", fun, len(a.master), a.answer))
		}
		return wrong
	}
	for _, id := range c.on {
		for _, by := range []string{"mom", "Salt"} {
			n := 0
			for _, e := range a.ran {
				if e.minion == id && e.by == by && e.fun == fun {
					n++
				}
			}
			if n != 1 {
				wrong = append(wrong, fmt.Sprintf("an honest call of %s ran %d times on %s, by %s; the answer was %s", fun, n, id, by, a.answer))
			}
		}
	}
	return wrong
}
