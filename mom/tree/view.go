package tree

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/topology"
)

// oldRows is the age from which rows of an outbox count as trouble.
const oldRows = time.Minute

// View draws the window.
func (t Tree) View() string {
	if t.help {
		return fit("mom tree — keys", t.width) + "\n\n" + treeHelp + "\n\n" + "Press any key to go back."
	}
	var b strings.Builder
	b.WriteString(invert(pad(t.headline(), t.width)) + "\n")
	if !t.known {
		if t.failure == nil {
			b.WriteString("\nAsking the master …\n")
		}
		return b.String() + t.footline()
	}
	names := nameWidth(t.width)
	b.WriteString(dim(pad(pad("NODE OR MINION", names)+" "+heads(t.width), t.width)) + "\n")
	room := t.room()
	for i := t.top; i < t.top+room; i++ {
		if i < len(t.rows) {
			b.WriteString(t.line(i, names))
		}
		b.WriteByte('\n')
	}
	b.WriteString(dim(fit(t.detail(), t.width)) + "\n")
	b.WriteString(t.footline())
	return b.String()
}

func (t *Tree) headline() string {
	if !t.known {
		return "mom tree"
	}
	nodes, minions, up := t.snap.Root.Count()
	text := fmt.Sprintf("mom tree  %s  %d nodes  %d minions, %d up  %s", topology.Clean(t.snap.Root.ID), nodes+1, minions, up, t.snap.At.Format("15:04:05"))
	switch n := len(t.snap.Problems); n {
	case 0:
	case 1:
		text += "  1 problem"
	default:
		text += fmt.Sprintf("  %d problems", n)
	}
	text += "  order: " + t.sort.String()
	if t.onlyTrouble {
		text += "  problems only"
	}
	if t.filter != "" {
		text += "  filter: " + topology.Clean(t.filter)
	}
	return text
}

// footline returns the filter while it is typed, an error, or the main keys.
func (t *Tree) footline() string {
	switch {
	case t.typing:
		return fit("/"+topology.Clean(t.filter)+"▏", t.width)
	case t.failure != nil:
		text := topology.Clean(strings.ReplaceAll(t.failure.Error(), "\n", " "))
		if t.known {
			text = fmt.Sprintf("figures are %s old: ", topology.Span(t.now().Sub(t.snap.At))) + text
		}
		return red(fit(text, t.width))
	}
	return dim(fit(fmt.Sprintf("%d/%d  ? help  / filter  s order  p problems  m minions  space fold  q quit", min(t.cursor+1, len(t.rows)), len(t.rows)), t.width))
}

// The columns after the name. A narrow window shows those that indicate trouble.
const (
	wideHeads   = "STATE   CONN/ACC      WORK  JOBS  PENDING  OLDEST    LAG   LOAD    CLOCK"
	narrowHeads = "STATE   CONN/ACC      WORK  PENDING  OLDEST"
	// wideFrom is the window width from which all columns are shown.
	wideFrom = len(wideHeads) + 32
)

func heads(width int) string {
	if width >= wideFrom {
		return wideHeads
	}
	return narrowHeads
}

// nameWidth returns the width left for names beside the columns.
func nameWidth(width int) int { return max(width-len(heads(width))-1, 16) }

func (t *Tree) line(i, names int) string {
	r := t.rows[i]
	mark := ""
	if r.node != nil && r.folded {
		nodes, minions, up := r.node.Count()
		mark = fmt.Sprintf(" [+%d nodes, %d minions, %d up]", nodes, minions, up)
	}
	name := pad(r.indent+topology.Clean(r.name())+mark, names)
	text := pad(string(r.state), 7)
	if r.node != nil && r.state == topology.Up { // figures of other nodes are out of date
		text += " " + columns(r.node.Figures(), t.width)
	}
	text = fit(name+" "+text, t.width)
	switch {
	case i == t.cursor:
		return invert(pad(text, t.width))
	case r.state == topology.Down:
		return red(text)
	case r.trouble:
		return yellow(text)
	case r.state == topology.Unknown:
		return dim(text)
	}
	return text
}

func columns(v topology.Vitals, width int) string {
	conn := ""
	if v.Accepted > 0 || v.Connected > 0 {
		conn = fmt.Sprintf("%d/%d", v.Connected, v.Accepted)
	}
	if width < wideFrom {
		return fmt.Sprintf("%-13s %4s %8s %7s", conn, number(v.Working), number(v.Pending), span(v.PendingAge))
	}
	load := ""
	if v.Load > 0 {
		load = strconv.FormatFloat(v.Load, 'f', 2, 64)
	}
	clock := ""
	if v.Skew != 0 {
		clock = topology.Signed(v.Skew)
	}
	return fmt.Sprintf("%-13s %4s %5s %8s %7s %6s %6s %8s", conn, number(v.Working), number(v.Jobs), number(v.Pending), span(v.PendingAge), span(v.Lag), load, clock)
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func span(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return topology.Span(d)
}

// detail describes the row under the cursor.
func (t *Tree) detail() string {
	r, ok := t.current()
	if !ok {
		return "No rows; esc ends filter and problems."
	}
	text := topology.Clean(strings.ReplaceAll(r.path, "/", " → "))
	if r.minion != nil {
		if r.minion.Version != "" {
			text += "  version " + topology.Clean(r.minion.Version)
		}
	} else {
		n := r.node
		text += "  " + topology.Clean(n.Role)
		for _, f := range [][2]string{{"version", n.Version}, {"at", n.Vitals.Addr}} {
			if f[1] != "" {
				text += "  " + f[0] + " " + topology.Clean(f[1])
			}
		}
		if !n.Since.IsZero() {
			text += "  " + string(r.state) + " for " + topology.Span(t.now().Sub(n.Since))
		}
	}
	_, short, _ := strings.Cut(r.path, "/")
	for _, p := range t.snap.Problems {
		if p.Path == r.path || p.Path == short {
			text += "  ! " + topology.Clean(string(p.Kind)+": "+p.Detail)
		}
	}
	return text
}
