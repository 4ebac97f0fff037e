package verdict

import (
	"cmp"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

// Verdict is the result of applying the rules to the calls of a job, or to one call of a runner or
// wheel function.
type Verdict struct {
	Allowed bool
	// Reason is why the rules were not applied, or why there were none; otherwise "".
	Reason string
	Calls  []Call
}

// Call is one function of a job with its arguments.
type Call struct {
	Fun     string
	Allowed bool
	// Reason is why the rules were not applied, or why rules with args or kwargs refuse the call.
	Reason string
	// Args are the arguments as rules match them, in explanations only.
	Args []Arg
	// Rules are the rules that were applied, in order, up to the one that allowed.
	Rules []Rule
}

// Arg is one argument: its parameter or position, and its value as text.
type Arg struct{ Name, Value string }

// Rule is the result of applying one rule to a call.
type Rule struct {
	// Place is the position of the rule in the configuration; "" if unknown.
	Place   string
	Text    string
	Allowed bool
	// Why is why the rule does not allow the call, unless Tiers shows it.
	Why string
	// Tiers are the master and the nodes with minions in the target. They are set only for a rule
	// with a target, and only if function and arguments match.
	Tiers []Tier
}

// Names limits the minions named in a tier; further ones are counted.
const Names = 5

// Tier describes the minions of one master.
type Tier struct {
	// Path leads from the master that judges to the node with the minions, joined by "/"; "" is
	// that master itself.
	Path    string
	Allowed bool
	// Meant counts the minions that the target matches or may match, as far as known.
	Meant int
	// Outside are minions that the rule certainly does not match or, among own minions, may not
	// match; at most [Names]. OutsideAll counts them.
	Outside    []string
	OutsideAll int
	// Open counts minions that only the node can judge, because it has their grains and pillar.
	Open int
	// Blind means that the node does not report its minions.
	Blind bool
}

// And combines two verdicts; both must allow.
func (v Verdict) And(w Verdict) Verdict {
	return Verdict{Allowed: v.Allowed && w.Allowed, Reason: cmp.Or(v.Reason, w.Reason), Calls: append(slices.Clip(v.Calls), w.Calls...)}
}

// Map returns the wire form of the verdict.
func (v Verdict) Map() *value.Map {
	calls := make([]any, 0, len(v.Calls))
	for _, c := range v.Calls {
		rules := make([]any, 0, len(c.Rules))
		for _, r := range c.Rules {
			tiers := make([]any, 0, len(r.Tiers))
			for _, t := range r.Tiers {
				outside := make([]any, 0, len(t.Outside))
				for _, id := range t.Outside {
					outside = append(outside, id)
				}
				tiers = append(tiers, value.NewMap("path", t.Path, "allowed", t.Allowed, "meant", t.Meant, "outside", outside,
					"outside_count", t.OutsideAll, "open", t.Open, "blind", t.Blind))
			}
			rules = append(rules, value.NewMap("place", r.Place, "rule", r.Text, "allowed", r.Allowed, "why", r.Why, "tiers", tiers))
		}
		args := make([]any, 0, len(c.Args))
		for _, a := range c.Args {
			args = append(args, value.NewMap("name", a.Name, "value", a.Value))
		}
		calls = append(calls, value.NewMap("fun", c.Fun, "allowed", c.Allowed, "reason", c.Reason, "args", args, "rules", rules))
	}
	return value.NewMap("allowed", v.Allowed, "reason", v.Reason, "calls", calls)
}

// FromMap decodes the form of [Verdict.Map]. Values of other types are read as zero values, which
// allow nothing.
func FromMap(m *value.Map) Verdict {
	v := Verdict{Allowed: m.Bool("allowed"), Reason: m.String("reason")}
	for _, m := range maps(m.List("calls")) {
		c := Call{Fun: m.String("fun"), Allowed: m.Bool("allowed"), Reason: m.String("reason")}
		for _, m := range maps(m.List("args")) {
			c.Args = append(c.Args, Arg{m.String("name"), m.String("value")})
		}
		for _, m := range maps(m.List("rules")) {
			r := Rule{Place: m.String("place"), Text: m.String("rule"), Allowed: m.Bool("allowed"), Why: m.String("why")}
			for _, m := range maps(m.List("tiers")) {
				r.Tiers = append(r.Tiers, Tier{
					Path: m.String("path"), Allowed: m.Bool("allowed"), Meant: int(m.Int("meant")), Outside: m.Strings("outside"),
					OutsideAll: int(m.Int("outside_count")), Open: int(m.Int("open")), Blind: m.Bool("blind"),
				})
			}
			c.Rules = append(c.Rules, r)
		}
		v.Calls = append(v.Calls, c)
	}
	return v
}

// Open counts the minions of an allowed call that nodes below still judge: the maximum over all
// calls.
func (v Verdict) Open() int {
	most := 0
	for _, c := range v.Calls {
		n := 0
		for _, r := range c.Rules {
			for _, t := range r.Tiers {
				if r.Allowed {
					n += t.Open
				}
			}
		}
		most = max(most, n)
	}
	return most
}

func maps(list []any) []*value.Map {
	var out []*value.Map
	for _, v := range list {
		if m, ok := v.(*value.Map); ok {
			out = append(out, m)
		}
	}
	return out
}

// String formats the verdict in one line for a log: what is refused, and because of which minions.
func (v Verdict) String() string {
	if v.Allowed {
		return "allowed"
	}
	if v.Reason != "" {
		return v.Reason
	}
	for _, c := range v.Calls {
		if c.Allowed {
			continue
		}
		out := "no rule allows " + c.Fun
		if c.Reason != "" {
			return out + ": " + c.Reason
		}
		for _, r := range c.Rules {
			for _, t := range r.Tiers {
				if !t.Allowed {
					return out + " there: " + strings.TrimSuffix(t.line(), ".")
				}
			}
		}
		return out
	}
	return "refused"
}
