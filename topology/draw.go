package topology

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// DrawOptions configure [Draw] and [Export].
type DrawOptions struct {
	// Color marks states with ANSI colors.
	Color bool
	// MaxMinions bounds the minions drawn per node; further ones that are up are counted. Minions
	// that are not up are always drawn. 0: no bound.
	MaxMinions int
	// Depth bounds the tiers of nodes drawn, this one included; nodes below are counted. 0: no
	// bound.
	Depth int
	// NoMinions omits minions from JSON, which still counts them.
	NoMinions bool
}

// Draw writes the tree as text, one line per node and minion:
//
//	top (master, 1.0) up — 1 node below, 3 minions, 2 up
//	├── top-01 up
//	└── syndic-a (syndic, 1.0) up
//	    ├── web-01 up
//	    └── web-02 DOWN
//
// It escapes unprintable characters of names.
func Draw(w io.Writer, n Node, o DrawOptions) error {
	d := drawer{o: o}
	nodes, minions, up := n.Count()
	about := fmt.Sprintf(" — %s below, %s, %d up", count(nodes, "node"), count(minions, "minion"), up)
	d.line("", label(n), n.State, about+withFigures("; ", n))
	d.below(n, "", n.State, 1)
	d.tops(n)
	_, err := io.WriteString(w, d.b.String())
	return err
}

type drawer struct {
	o DrawOptions
	b strings.Builder
}

func label(n Node) string {
	about := clean(n.Role)
	if n.Version != "" {
		about += ", " + clean(n.Version)
	}
	return clean(n.ID) + " (" + about + ")"
}

// clean escapes unprintable characters of a name.
func clean(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		quoted := strconv.Quote(name)
		return quoted[1 : len(quoted)-1]
	}
	return name
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func (d *drawer) line(indent, name string, s State, more string) {
	d.b.WriteString(indent + name + " " + d.state(s) + more + "\n")
}

func (d *drawer) state(s State) string {
	text, color := string(s), "32"
	switch s {
	case Down:
		text, color = "DOWN", "31"
	case Unknown:
		color = "33"
	}
	if !d.o.Color {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// below draws the children of n, which is in the given tier. Children of a node that is down are
// drawn as unknown.
func (d *drawer) below(n Node, indent string, above State, tier int) {
	shown, hidden := d.o.choose(n.Minions)
	cut := d.o.Depth > 0 && tier >= d.o.Depth
	rows := len(shown)
	if !cut {
		rows += len(n.Nodes)
	} else if len(n.Nodes) > 0 {
		rows++
	}
	if hidden > 0 {
		rows++
	}
	branch := func() (string, string) {
		rows--
		if rows == 0 {
			return indent + "└── ", indent + "    "
		}
		return indent + "├── ", indent + "│   "
	}
	for _, m := range shown {
		first, _ := branch()
		d.line(first, clean(m.ID), veil(m.State, above), "")
	}
	if hidden > 0 {
		first, _ := branch()
		fmt.Fprintf(&d.b, "%s… %d more %s\n", first, hidden, veil(Up, above))
	}
	if cut {
		if len(n.Nodes) > 0 {
			first, _ := branch()
			n.Minions = nil
			fmt.Fprintf(&d.b, "%s… %s\n", first, below(n))
		}
		return
	}
	for _, c := range n.Nodes {
		first, rest := branch()
		more := withFigures(" — ", c)
		if c.State == Down {
			more = " since " + c.Since.Format("2006-01-02 15:04:05")
		}
		state := veil(c.State, above)
		d.line(first, label(c), state, more)
		if above == Down {
			state = Down
		}
		d.below(c, rest, state, tier+1)
	}
}

// withFigures returns the vitals of a node and its degraded state in short, after sep, or ""
// without any.
func withFigures(sep string, n Node) string {
	var out []string
	for _, p := range n.Problems {
		if p.Kind == Degraded && p.Path == "" {
			short, _, _ := strings.Cut(p.Detail, ":")
			out = append(out, clean(short))
		}
	}
	if f := figures(n.Figures()); f != "" {
		out = append(out, f)
	}
	if len(out) == 0 {
		return ""
	}
	return sep + strings.Join(out, ", ")
}

func (o DrawOptions) choose(all []Minion) (shown []Minion, hidden int) {
	if o.MaxMinions <= 0 || len(all) <= o.MaxMinions {
		return all, 0
	}
	for _, m := range all {
		if m.State != Up || len(shown) < o.MaxMinions {
			shown = append(shown, m)
		} else {
			hidden++
		}
	}
	return shown, hidden
}
