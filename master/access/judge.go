package access

import (
	"slices"
	"strings"

	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/functions"
)

// findJob, which asks whether a job is running, is allowed for everybody who may publish.
const findJob = "saltutil.find_job"

// Judge reports whether rules allow the calls of a job, and why. Each call must match one rule on all
// minions of the job; see [Reach]. Without rules everything is allowed.
func (l *List) Judge(rules []any, calls []Call, r Reach) verdict.Verdict {
	if len(rules) == 0 {
		return verdict.Verdict{Allowed: true, Reason: "no rules are held against this user"}
	}
	parsed := l.reader().rules(rules)
	v := verdict.Verdict{Allowed: true}
	for _, c := range calls {
		say := judge(parsed, c, r)
		v.Calls = append(v.Calls, say)
		v.Allowed = v.Allowed && say.Allowed
	}
	return v
}

func judge(rules []rule, c Call, r Reach) verdict.Call {
	out := verdict.Call{Fun: c.Fun}
	if c.Fun == findJob {
		out.Allowed, out.Reason = true, "whoever may publish may ask whether a job still runs"
		return out
	}
	for i := range rules {
		say := rules[i].judge(c, r)
		out.Rules = append(out.Rules, say)
		if say.Allowed {
			out.Allowed = true
			break
		}
	}
	if err := c.Fault(); err != nil && !out.Allowed {
		out.Reason = err.Error()
	}
	return out
}

// judge compares one rule with a call of a minion's function.
func (r *rule) judge(c Call, reach Reach) verdict.Rule {
	out := verdict.Rule{Text: r.text}
	if r.fault == nil && r.special != "" {
		out.Why = r.purpose()
		return out
	}
	if out.Why = r.refuses(c.Fun, c); out.Why != "" {
		return out
	}
	if r.to == nil {
		out.Allowed = true
		return out
	}
	out.Tiers = reach.tiers(r.to)
	out.Allowed = !slices.ContainsFunc(out.Tiers, func(t verdict.Tier) bool { return !t.Allowed })
	if id, ok := reach.nodeNamed(r.to); ok && !out.Allowed {
		out.Why = id + " is a node, and rules name minions: those behind it are not meant"
	}
	return out
}

// purpose returns what a rule with @ is for.
func (r *rule) purpose() string {
	if r.special == returnersRule || r.special == executorsRule {
		return "it is for " + r.special
	}
	return "it is for runners and wheel functions"
}

// refuses returns why a call does not match a rule, or "".
func (r *rule) refuses(name string, c arguments) string {
	if r.fault != nil {
		return "it cannot be understood: " + r.fault.Error()
	}
	switch fun, why := r.fits(name, c); {
	case !fun:
		return "it is for other functions"
	case why != "":
		return "it is for other arguments: " + why
	}
	return ""
}

// JudgeRunner reports whether the rules allow a call of a runner, and why.
func (l *List) JudgeRunner(rules []any, c functions.Bound) verdict.Verdict {
	return l.judgeSpecial(rules, "runner", c)
}

// JudgeWheel reports whether the rules allow a call of a wheel function, and why.
func (l *List) JudgeWheel(rules []any, c functions.Bound) verdict.Verdict {
	return l.judgeSpecial(rules, "wheel", c)
}

// judgeSpecial compares a call with the rules that start with @. Without such rules nothing is
// allowed: it is not called for users who may do everything.
func (l *List) judgeSpecial(rules []any, form string, c functions.Bound) verdict.Verdict {
	out := verdict.Call{Fun: c.Fun()}
	module, name, ok := strings.Cut(c.Fun(), ".")
	if !ok || module == "" || name == "" || strings.Contains(name, ".") {
		return verdict.Verdict{Reason: "a " + form + " function is named module.function"}
	}
	for _, r := range l.reader().rules(rules) {
		say := verdict.Rule{Text: r.text}
		switch {
		case r.fault == nil && r.special == "":
			say.Why = "it is for functions of minions"
		case r.special == form || r.special == form+"s":
			say.Why = r.lacks(c.Fun(), c)
		case r.special == module: // its functions are named without the module
			say.Why = r.lacks(name, c)
		case r.fault != nil:
			say.Why = r.refuses(c.Fun(), c)
		case r.special == returnersRule || r.special == executorsRule:
			say.Why = r.purpose()
		default:
			say.Why = "it is for other functions"
		}
		say.Allowed = say.Why == ""
		out.Rules = append(out.Rules, say)
		if say.Allowed {
			out.Allowed = true
			break
		}
	}
	if err := c.Fault(); err != nil && !out.Allowed {
		out.Reason = err.Error()
	}
	return verdict.Verdict{Allowed: out.Allowed, Calls: []verdict.Call{out}}
}

// lacks is refuses for a rule that may cover all functions of its kind.
func (r *rule) lacks(name string, c arguments) string {
	if r.fault == nil && r.funs == nil {
		return ""
	}
	return r.refuses(name, c)
}
