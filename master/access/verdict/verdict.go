package verdict

import (
	"cmp"
	"slices"
	"strings"

	"github.com/momtree/mom/value"
)

// Verdict is what the rules say of the calls of a job, or of one call of a runner or wheel
// function.
type Verdict struct {
	Allowed bool
	// Reason is why no rule had to be asked, or why none was there to ask; "" otherwise.
	Reason string
	Calls  []Call
}

// Call is one function of a job with its arguments.
type Call struct {
	Fun     string
	Allowed bool
	// Reason is why no rule had to be asked, or why rules with args or kwargs refuse it.
	Reason string
	// Args are the arguments as rules judge them. Only an explanation has them.
	Args []Arg
	// Rules are those that were asked, in their order: up to the one that allowed.
	Rules []Rule
}

// Arg is one argument: the parameter it is bound to, or its position, and its value as text.
type Arg struct{ Name, Value string }

// Rule is what one rule says of a call.
type Rule struct {
	// Place is where the rule stands in the configuration; "" when that is not known.
	Place   string
	Text    string
	Allowed bool
	// Why tells why it does not allow, as far as no tier does.
	Why string
	// Tiers are the master and the nodes that have minions which are meant. Only a rule
	// with a target has them, and only if function and arguments fit.
	Tiers []Tier
}

// Names is how many minions a tier names; the rest is counted.
const Names = 5

// Tier is what is known of one master's minions.
type Tier struct {
	// Path leads from the master that judges to the node that has the minions, joined by
	// "/"; "" is that master itself.
	Path    string
	Allowed bool
	// Meant is how many minions the target means or may mean, as far as that is known.
	Meant int
	// Outside are minions that the rule certainly or, of own minions, possibly does not
	// mean, at most [Names]; OutsideAll counts them.
	Outside    []string
	OutsideAll int
	// Open is how many are judged by the node alone, which has their grains and pillar.
	Open int
	// Blind tells that the node does not report whom it has.
	Blind bool
}

// And joins two verdicts: both have to allow.
func (v Verdict) And(w Verdict) Verdict {
	return Verdict{Allowed: v.Allowed && w.Allowed, Reason: cmp.Or(v.Reason, w.Reason), Calls: append(slices.Clip(v.Calls), w.Calls...)}
}

// Map gives the verdict in the form in which it travels.
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

// FromMap reads what [Verdict.Map] wrote. What is of another kind reads as empty, and so
// allows nothing.
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

// Open counts the minions of an allowed call that nodes below still judge: the most of all
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

// String is the verdict in one line for a log: what is refused, and by which minions.
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
