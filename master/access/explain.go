package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/topology"
)

// Kind is the kind of a call.
type Kind string

// The kinds.
const (
	Minions Kind = "minions" // functions of minions
	Runner  Kind = "runner"
	Wheel   Kind = "wheel"
)

// Question asks whether a user may do something, and why.
type Question struct {
	User string
	// Eauth is the login service that authenticated the user, Groups the groups from it. If
	// Eauth is "" it is a local user, with the key that publisher_acl gives.
	Eauth  string
	Groups []string
	Kind   Kind
	// Request is the call.
	Request functions.Request
	// Calls are functions of minions, Settings the settings of their job.
	Calls    []Call
	Settings Settings
	// Bound is a call of a runner or a wheel function.
	Bound functions.Bound
}

// Explain answers a question by the steps that apply to a load: the blacklist, the rules that apply,
// each rule. reach returns what the target matches; it is not called for runners and wheel functions,
// or if no rules apply.
func (c *Control) Explain(q Question, reach func() (Reach, error)) (verdict.Verdict, error) {
	switch {
	case q.Kind == Minions && c.Forbids(q.User, nil):
		return verdict.Verdict{Reason: "publisher_acl_blacklist names the user " + q.User}, nil
	case q.Kind == Minions && c.Forbids("", q.Calls):
		return verdict.Verdict{Reason: "publisher_acl_blacklist names the function"}, nil
	}
	rules, places, v := c.heldTo(q)
	if rules == nil {
		return v, nil
	}
	switch q.Kind {
	case Runner, Wheel:
		v = c.judgeSpecial(rules, string(q.Kind), q.Bound)
	default:
		r, err := reach()
		if err != nil {
			return verdict.Verdict{}, err
		}
		v = c.Judge(rules, q.Calls, r)
	}
	q.show(v.Calls)
	v = v.And(c.settings(rules, q))
	for i := range v.Calls {
		for j := range v.Calls[i].Rules { // they stand in the order of the rules
			v.Calls[i].Rules[j].Place = places[j]
		}
	}
	return v, nil
}

func (c *Control) settings(rules []any, q Question) verdict.Verdict {
	if q.Kind != Minions {
		return verdict.Verdict{Allowed: true}
	}
	return c.JudgeSettings(rules, q.Settings)
}

// show adds the arguments as they were compared.
func (q Question) show(calls []verdict.Call) {
	for i := range calls {
		if q.Kind == Minions {
			calls[i].Args = q.Calls[i].shown()
			continue
		}
		if q.Bound.Fault() != nil {
			continue // they are bound to nothing
		}
		n := 0
		for _, j := range q.Bound.All() {
			name := j.Name
			if n++; name == "" {
				name = fmt.Sprintf("argument %d", n)
			}
			for _, text := range j.Texts {
				calls[i].Args = append(calls[i].Args, verdict.Arg{Name: name, Value: text})
			}
		}
	}
}

// shown returns the arguments by position and by keyword.
func (c Call) shown() (out []verdict.Arg) {
	for i, v := range c.Args {
		out = append(out, verdict.Arg{Name: fmt.Sprintf("argument %d", i+1), Value: functions.Text(v)})
	}
	c.Kwargs.Range(func(k, v any) bool {
		if k != kwargMark {
			out = append(out, verdict.Arg{Name: functions.Text(k), Value: functions.Text(v)})
		}
		return true
	})
	return out
}

// heldTo returns the rules that apply to a user, with their places. Without rules, v is the answer.
func (c *Control) heldTo(q Question) (rules []any, places []string, v verdict.Verdict) {
	if q.Eauth != "" {
		switch rules, places = c.External.placed(q.Eauth, q.User, q.Groups, false); {
		case !c.External.Has(q.Eauth):
			v.Reason = fmt.Sprintf("external_auth has no login service %q", q.Eauth)
		case len(rules) == 0:
			v.Reason = fmt.Sprintf("external_auth has no rules under %s for the user %q, its groups or *", q.Eauth, q.User)
		}
		return rules, places, v
	}
	name, sudo := strings.CutPrefix(q.User, "sudo_")
	switch {
	case sudo && !(c.sudo && len(c.grants) > 0):
		v.Allowed, v.Reason = true, "users of sudo are held to publisher_acl with sudo_acl alone"
		return nil, nil, v
	case !sudo && (name == c.Own || name == "root"):
		v.Allowed, v.Reason = true, name+" is the user of the master or root, who may do everything"
		return nil, nil, v
	case q.Kind != Minions:
		v.Reason = "runners and wheel functions are for the user of the master; others need a login of external_auth"
		return nil, nil, v
	}
	if rules, places = c.placed(name); len(rules) == 0 {
		v.Reason = fmt.Sprintf("publisher_acl has no rules for the user %q", name)
	}
	return rules, places, v
}

// ReachOf returns the reach of a target resolved here. node returns the last report of a child node.
func (c *Control) ReachOf(a ownership.Audience, node func(id string) (topology.Node, bool)) Reach {
	return reachOf(a, c.subject, node)
}

// ShownCall returns a call of the master as the audit shows it.
func ShownCall(b functions.Bound) Call { return newCall(b.Fun(), b.Shown()) }

// NewCall returns a call with these arguments. args may end with keyword arguments as in a
// publication; kwargs replaces them.
func NewCall(fun string, args []any, kwargs *wire.Map) Call {
	if kwargs.Len() == 0 {
		return newCall(fun, args)
	}
	marked := kwargs.Clone()
	marked.Set(kwargMark, true)
	return newCall(fun, append(slices.Clone(args), marked))
}
