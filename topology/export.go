package topology

import (
	"fmt"
	"io"
	"strings"
)

// Format is an output format of [Export].
type Format string

// The formats. All are stable: fields and lines are only added.
const (
	Text    Format = "text"    // for people, see Draw
	JSON    Format = "json"    // for programs, see ExportJSON
	Dot     Format = "dot"     // for Graphviz
	Mermaid Format = "mermaid" // for Markdown pages
)

// Formats returns the formats in documentation order.
func Formats() []Format { return []Format{Text, JSON, Dot, Mermaid} }

// Export writes the tree in a format.
func Export(w io.Writer, n Node, f Format, o DrawOptions) error {
	switch f {
	case Text:
		return Draw(w, n, o)
	case JSON:
		return exportJSON(w, n, o)
	case Dot:
		return exportDot(w, n, o)
	case Mermaid:
		return exportMermaid(w, n, o)
	}
	return fmt.Errorf("unknown format %q; use text, json, dot or mermaid", f)
}

// below summarizes what a drawing omits under a node.
func below(n Node) string {
	nodes, minions, up := n.Count()
	if nodes == 0 && minions == 0 {
		return ""
	}
	return fmt.Sprintf("%s, %s, %d up", count(nodes, "node"), count(minions, "minion"), up)
}

// boxes visits the boxes of a diagram. kind is node, minion or rest; parent is the number of the
// parent's box, -1 for the root.
func boxes(n Node, o DrawOptions, visit func(number, parent int, kind, text string, s State)) {
	next := 0
	box := func(parent int, kind, text string, s State) int {
		number := next
		next++
		visit(number, parent, kind, text, s)
		return number
	}
	var walk func(n Node, parent, tier int, above State)
	walk = func(n Node, parent, tier int, above State) {
		text := label(n)
		if f := figures(n.Figures()); f != "" && n.State != Down {
			text += "\n" + f
		}
		state := veil(n.State, above)
		me := box(parent, "node", text, state)
		if n.State == Down || above == Down {
			above = Down
		}
		shown, hidden := o.choose(n.Minions)
		for _, m := range shown {
			box(me, "minion", clean(m.ID), veil(m.State, above))
		}
		if hidden > 0 {
			box(me, "rest", fmt.Sprintf("… %d more up", hidden), veil(Up, above))
		}
		if o.Depth > 0 && tier >= o.Depth {
			if n.Minions = nil; len(n.Nodes) > 0 {
				box(me, "rest", "… "+below(n), veil(Unknown, above))
			}
			return
		}
		for _, c := range n.Nodes {
			walk(c, me, tier+1, above)
		}
	}
	walk(n, -1, 1, Up)
}

// veil returns the state to show: unknown behind a node that is down.
func veil(s, above State) State {
	if above == Down {
		return Unknown
	}
	return s
}

var dotText = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;", "\n", `\n`)

func exportDot(w io.Writer, n Node, o DrawOptions) error {
	var b strings.Builder
	b.WriteString("digraph mom {\n  rankdir=TB;\n  node [fontname=\"Helvetica\", style=filled];\n")
	fill := map[State]string{Up: "#d8f0d8", Down: "#f6c6c6", Unknown: "#f4ecc8"}
	shape := map[string]string{"node": "box", "minion": "ellipse", "rest": "plaintext"}
	boxes(n, o, func(number, parent int, kind, text string, s State) {
		fmt.Fprintf(&b, "  n%d [label=\"%s\", shape=%s, fillcolor=\"%s\", tooltip=\"%s\"];\n", number, dotText.Replace(text), shape[kind], fill[s], s)
		if parent >= 0 {
			fmt.Fprintf(&b, "  n%d -> n%d;\n", parent, number)
		}
	})
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// mermaidText encodes characters that are special in Mermaid or Markdown as numeric entities.
func mermaidText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			b.WriteString("<br/>")
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r > 127, strings.ContainsRune(" ._-/,", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

func exportMermaid(w io.Writer, n Node, o DrawOptions) error {
	var b strings.Builder
	b.WriteString("graph TD\n")
	open := map[string][2]string{"node": {"[", "]"}, "minion": {"(", ")"}, "rest": {"(", ")"}}
	boxes(n, o, func(number, parent int, kind, text string, s State) {
		fmt.Fprintf(&b, "  n%d%s\"%s\"%s:::%s\n", number, open[kind][0], mermaidText(text), open[kind][1], s)
		if parent >= 0 {
			fmt.Fprintf(&b, "  n%d --> n%d\n", parent, number)
		}
	})
	b.WriteString("  classDef up fill:#d8f0d8\n  classDef down fill:#f6c6c6\n  classDef unknown fill:#f4ecc8\n")
	_, err := io.WriteString(w, b.String())
	return err
}
