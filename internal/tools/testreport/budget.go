package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// defaultBudget is how many seconds the tests of a package should take, with the race detector,
// on two otherwise idle cores.
const defaultBudget = 20

// budgetFile lists the packages with another budget: path and seconds, one package per line. No
// run fails because it is over its budget.
//
//go:embed budgets.txt
var budgetFile string

// budgets reads a list of budgets, by package path.
func budgets(text string) (map[string]float64, error) {
	out := map[string]float64{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		seconds := 0.0
		var err error
		if len(f) == 2 {
			seconds, err = strconv.ParseFloat(f[1], 64)
		}
		if len(f) != 2 || err != nil || seconds <= 0 {
			return nil, fmt.Errorf("budgets.txt:%d: want a package and seconds, not %q", n, lines.Text())
		}
		out[module+f[0]] = seconds
	}
	return out, nil
}

const module = "github.com/momtree/mom/"

// timed is a test or package with its time in seconds.
type timed struct {
	name    string
	seconds float64
}

// slowest is how many tests a report of times lists.
const slowest = 10

// times prints the slowest tests, and the packages over their budget.
func (t *tally) times(out io.Writer, budget map[string]float64) {
	longer := func(a, b timed) int {
		if a.seconds != b.seconds {
			if a.seconds > b.seconds {
				return -1
			}
			return 1
		}
		return strings.Compare(a.name, b.name)
	}
	slices.SortFunc(t.tests, longer)
	for _, x := range t.tests[:min(len(t.tests), slowest)] {
		fmt.Fprintf(out, "slow     %s %.1fs\n", x.name, x.seconds)
	}
	slices.SortFunc(t.packages, longer)
	for _, p := range t.packages {
		most := budget[p.name]
		if most == 0 {
			most = defaultBudget
		}
		if p.seconds > most {
			fmt.Fprintf(out, "budget   %s %.1fs, budget %.0fs\n", p.name, p.seconds, most)
		}
	}
}
