package access

import (
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/topology"
)

// Kind is what somebody wants to call.
type Kind string

// The kinds.
const (
	Minions Kind = "minions" // functions of minions
	Runner  Kind = "runner"
	Wheel   Kind = "wheel"
)

// Question is whether a user may do something, and why.
type Question struct {
	User string
	// Eauth is the login service that has proved who it is, Groups what it says of the
	// user. "": a user of this machine, by the key that publisher_acl gives.
	Eauth  string
	Groups []string
	Kind   Kind
	Calls  []Call
}

// Explain answers a question in the order in which a load is judged: the blacklist, whose
// rules are held against it, each rule. reach is whom the target means; it is not called
// for runners and wheel functions, nor for who is held to no rules.
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
		v = verdict.Verdict{Allowed: true}
		for _, call := range q.Calls {
			one := c.judgeSpecial(rules, string(q.Kind), call)
			v.Allowed, v.Reason, v.Calls = v.Allowed && one.Allowed, one.Reason, append(v.Calls, one.Calls...)
		}
	default:
		r, err := reach()
		if err != nil {
			return verdict.Verdict{}, err
		}
		v = c.Judge(rules, q.Calls, r)
	}
	for i := range v.Calls {
		for j := range v.Calls[i].Rules { // they stand in the order of the rules
			v.Calls[i].Rules[j].Place = places[j]
		}
	}
	return v, nil
}

// heldTo gives the rules that a user is held to and where they stand. Without any the
// verdict is the answer.
func (c *Control) heldTo(q Question) (rules []any, places []string, v verdict.Verdict) {
	if q.Eauth != "" {
		switch rules, places = c.External.placed(q.Eauth, q.User, q.Groups); {
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

// ReachOf is whom a target that was resolved here means; node gives what a node right
// below has reported.
func (c *Control) ReachOf(a ownership.Audience, node func(id string) (topology.Node, bool)) Reach {
	return reachOf(a, c.subject, node)
}

// NewCall separates the keyword arguments of a function, which stand last.
func NewCall(fun string, args []any, kwargs *wire.Map) Call {
	c := newCall(fun, args)
	if kwargs.Len() > 0 {
		c.Kwargs = kwargs
	}
	return c
}
