package verdict

import (
	"fmt"
	"io"
	"strings"
)

// Draw writes a verdict as text.
func Draw(w io.Writer, v Verdict) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s%s\n", word(v.Allowed, true), v.rest(), because(v.Reason))
	for _, c := range v.Calls {
		fmt.Fprintf(&b, "%s: %s%s\n", c.Fun, word(c.Allowed, false), because(c.Reason))
		if len(c.Args) > 0 {
			parts := make([]string, len(c.Args))
			for i, a := range c.Args {
				parts[i] = fmt.Sprintf("%s=%q", a.Name, a.Value)
			}
			fmt.Fprintf(&b, "    judged with %s\n", strings.Join(parts, ", "))
		}
		for _, r := range c.Rules {
			r.draw(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func word(allowed, loud bool) string {
	switch {
	case allowed && loud:
		return "ALLOWED"
	case allowed:
		return "allowed"
	case loud:
		return "REFUSED"
	}
	return "refused"
}

// rest describes what nodes below still decide.
func (v Verdict) rest() string {
	switch n := v.Open(); {
	case !v.Allowed || n == 0:
		return ""
	case n == 1:
		return " here; 1 minion is judged by its node"
	default:
		return fmt.Sprintf(" here; %d minions are judged by their nodes", n)
	}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func (r Rule) draw(b *strings.Builder) {
	what := "does not allow it"
	if r.Allowed {
		what = "allows it"
	}
	place := r.Place
	if place == "" {
		place = "rule"
	}
	fmt.Fprintf(b, "    %s, %s, %s%s\n", place, r.Text, what, because(r.Why))
	for _, t := range r.Tiers {
		path := t.Path
		if path == "" {
			path = "this master"
		}
		fmt.Fprintf(b, "        %s: %s\n", path, t.line())
	}
}

// line describes a tier.
func (t Tier) line() string {
	if t.Blind {
		if t.Allowed {
			return "does not report its minions, and the target has no minion outside the rule"
		}
		return "does not report its minions, and the target may have minions outside the rule; write both, " +
			"joined by and"
	}
	var parts []string
	if t.OutsideAll > 0 {
		names := strings.Join(t.Outside, ", ")
		if more := t.OutsideAll - len(t.Outside); more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		verb := "are"
		if t.OutsideAll == 1 {
			verb = "is"
		}
		parts = append(parts, fmt.Sprintf("%s %s meant by the target and not, or not certainly, by the rule", names, verb))
	}
	if t.Open > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d judged there, where grains and pillar are known", t.Open, t.Meant))
	}
	if len(parts) == 0 {
		switch t.Meant {
		case 0:
			return "the target means nobody here"
		case 1:
			return "the rule means the one minion that the target means"
		}
		return fmt.Sprintf("the rule means all %d minions that the target means", t.Meant)
	}
	return strings.Join(parts, "; ")
}
