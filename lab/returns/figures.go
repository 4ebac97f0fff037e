package returns

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// figures are what was measured, by name and unit, run by run.
type figures map[[2]string][]float64

func (f figures) add(name, unit string, v float64) {
	k := [2]string{name, unit}
	f[k] = append(f[k], v)
}

// line is one line of what `go test -bench` prints; the number behind the name is that of
// the processors.
var line = regexp.MustCompile(`(?m)^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// read takes the figures of benchmarks.
func (f figures) read(out string) {
	for _, l := range line.FindAllStringSubmatch(out, -1) {
		words := strings.Fields(l[2])
		for i := 0; i+1 < len(words); i += 2 {
			if v, err := strconv.ParseFloat(words[i], 64); err == nil {
				f.add(l[1], words[i+1], v)
			}
		}
	}
}

// goal is one line of the table.
type goal struct {
	what, name, unit string
	bound            float64
	most             bool // the figure should be below the bound, not above
}

var goals = []goal{
	{"returns/s, a connection each", "StockReturns/each", "returns/s", 8000, false},
	{"returns/s, connections kept", "StockReturns/kept", "returns/s", 20000, false},
	{"returns/s of 1 KB, kept", "StockReturns/kept1k", "returns/s", 12000, false},
	{"returns/s, kept, into MySQL as well", "StockReturns/mysql", "returns/s", 8000, false},
	{"the same until the last row is in MySQL", "StockReturns/mysql", "in-sql/s", 8000, false},
	{"processor time a return, kept, µs", "StockReturns/kept", "cpu-us/return", 45, true},
	{"the same with a connection each", "StockReturns/each", "cpu-us/return", 0, true},
	{"p99 under half load, kept, ms", "HalfLoad/kept", "p99-ms", 5, true},
	{"p99 under half load, a connection each, ms", "HalfLoad/each", "p99-ms", 5, true},
	{"salt '*' test.ping, 500 below one node, s", "ping/500", "s", 0.15, true},
	{"salt '*' test.ping, 10,000 over two tiers, s", "ping/10k", "s", 2, true},
}

// median of what was measured; false: nothing was.
func (f figures) median(g goal) (float64, bool) {
	vs := slices.Sorted(slices.Values(f[[2]string{g.name, g.unit}]))
	if len(vs) == 0 {
		return 0, false
	}
	return vs[len(vs)/2], true
}

// verdict says whether a figure is as it should be.
func (g goal) verdict(v float64) (want, is string) {
	switch {
	case g.bound == 0:
		return "", ""
	case g.most:
		want, is = "<= "+number(g.bound), "reached"
		if v > g.bound {
			is = "missed"
		}
	default:
		want, is = ">= "+number(g.bound), "reached"
		if v < g.bound {
			is = "missed"
		}
	}
	return want, is
}

// number shows three digits that count.
func number(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// table shows the medians, and the least and most of all runs.
func table(out io.Writer, f figures) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nwhat\tmedian\trange\ttarget\t")
	for _, g := range goals {
		v, ok := f.median(g)
		if !ok {
			continue
		}
		all := f[[2]string{g.name, g.unit}]
		want, is := g.verdict(v)
		fmt.Fprintf(t, "%s\t%s\t%s to %s\t%s\t%s\n", g.what, number(v), number(slices.Min(all)), number(slices.Max(all)), want, is)
	}
	return t.Flush()
}
