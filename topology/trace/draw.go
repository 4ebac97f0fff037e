package trace

import (
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Draw writes a trace as text: the tree of nodes, each with its times as offsets from when the top
// received the job, its counts, its pending rows and the minions it waits for.
func Draw(w io.Writer, jid string, s Step) error {
	d := &drawer{zero: s.Received}
	fmt.Fprintf(&d.b, "job %s %s\n", clean(jid), clean(s.Fun))
	if s.TraceID != "" {
		fmt.Fprintf(&d.b, "trace %s\n", clean(s.TraceID))
	}
	d.step(s, "", "")
	_, err := io.WriteString(w, d.b.String())
	return err
}

type drawer struct {
	b    strings.Builder
	zero time.Time
}

func (d *drawer) step(s Step, first, rest string) {
	fmt.Fprintf(&d.b, "%s%s %s", first, clean(s.Node), d.state(s))
	if s.Error != "" {
		fmt.Fprintf(&d.b, ": %s", clean(s.Error))
	}
	d.b.WriteByte('\n')
	indent := rest + "    "
	if len(s.Nodes) > 0 {
		indent = rest + "│   "
	}
	if t := d.moments(s); t != "" {
		fmt.Fprintf(&d.b, "%s%s\n", indent, t)
	}
	if s.State == Open || s.State == Closed {
		fmt.Fprintf(&d.b, "%sexpected %d = returned %d + failed %d + missing %d", indent, s.Expected, s.Returned, s.Failed, s.MissingAll)
		if s.WaitingAll > 0 {
			fmt.Fprintf(&d.b, " + waiting %d", s.WaitingAll)
		}
		fmt.Fprintf(&d.b, "; stored %d%s\n", s.Stored, pendingText(s.Pending))
	}
	d.list(indent, "waits for", s.Waiting, s.WaitingAll)
	d.list(indent, "missing", s.Missing, s.MissingAll)
	for i, c := range s.Nodes {
		if i == len(s.Nodes)-1 {
			d.step(c, rest+"└── ", rest+"    ")
		} else {
			d.step(c, rest+"├── ", rest+"│   ")
		}
	}
}

func (d *drawer) state(s Step) string {
	if s.State == Open {
		return "OPEN"
	}
	return clean(s.State)
}

// moments formats the first time as a timestamp, the others as offsets from it.
func (d *drawer) moments(s Step) string {
	var out []string
	for _, t := range s.times() {
		if t.at.IsZero() {
			continue
		}
		name := strings.ReplaceAll(t.name, "_", " ")
		if d.zero.IsZero() || t.at.Equal(d.zero) {
			out = append(out, name+" "+t.at.UTC().Format("2006-01-02 15:04:05.000"))
			continue
		}
		out = append(out, fmt.Sprintf("%s %+.1f ms", name, float64(t.at.Sub(d.zero).Microseconds())/1000))
	}
	return strings.Join(out, ", ")
}

func pendingText(rows map[string]int64) string {
	var dests []string
	for dest, n := range rows {
		if n > 0 {
			dests = append(dests, dest)
		}
	}
	sort.Strings(dests)
	out := ""
	for _, dest := range dests {
		out += fmt.Sprintf(", pending for %s: %d", clean(dest), rows[dest])
	}
	return out
}

// shown bounds the names in a drawing.
const shown = 10

func (d *drawer) list(indent, what string, names []Named, all int) {
	for i, n := range names {
		if i == shown {
			break
		}
		line := indent + what + " " + clean(n.ID)
		if n.Behind != "" {
			line += " behind " + clean(n.Behind)
		}
		if n.Why != "" {
			line += ": " + clean(n.Why)
		}
		d.b.WriteString(line + "\n")
	}
	if more := all - min(len(names), shown); more > 0 {
		fmt.Fprintf(&d.b, "%s%s %d more\n", indent, what, more)
	}
}

// clean escapes unprintable characters of a name.
func clean(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		q := strconv.Quote(name)
		return q[1 : len(q)-1]
	}
	return name
}
