package plan

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Text writes the plan for people.
func (p Plan) Text(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(t, format+"\n", args...) } // Flush returns the error
	if p.Returns == 0 {
		line("No steady load given: the columns cores, from below and rows/s are empty.")
		line("Set it with --jobs-per-minute, --returns or both.")
		line("")
	}
	line("shape %s", p.Shape)
	line("")
	line("tier\tnodes\tchildren each\tminions each\tminions below\tmemory\tcores\tfrom below\trows/s")
	for _, x := range p.Tiers {
		load := "–\t–\t–"
		if p.Returns > 0 {
			load = fmt.Sprintf("%.2f\t%s/s\t%.0f", x.Cores, amount(x.In), x.Rows)
		}
		line("%d\t%d\t%d\t%d\t%d\t%d MiB\t%s", x.Depth, x.Nodes, x.Children, x.Minions, x.Below, x.Memory>>20, load)
	}
	line("")
	if p.Returns > 0 {
		line("returns per second, all minions: %.0f", p.Returns)
	}
	line("MySQL servers: %d", p.SQLServers)
	line("test.ping to all: about %s", p.Ping)
	line("")
	for _, n := range p.Notes {
		line("%s", n)
	}
	return t.Flush()
}

func amount(n float64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%.0f MiB", n/(1<<20))
	case n >= 10<<10:
		return fmt.Sprintf("%.0f KiB", n/(1<<10))
	}
	return fmt.Sprintf("%.0f B", n)
}

// Text writes the unit costs and their sources.
func (c Costs) Text(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, x := range c {
		_, _ = fmt.Fprintf(t, "%s\t%g %s\t%s\t%s\n", x.Name, x.Value, x.Unit, x.What, x.Source) // Flush returns the error
	}
	return t.Flush()
}
