package runners

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// diffLines limits the lines of a result for a comparison line by line.
const diffLines = 20_000

// surveyDiff prints the differences in Salt's form.
func surveyDiff(ctx context.Context, c *Call) (any, error) {
	pools, err := survey(ctx, c)
	if err != nil {
		return nil, err
	}
	for i, p := range pools {
		c.Print(fmt.Sprintf("minion pool :\n------------\n%s\npool size :\n----------\n    %d", pyfmt.Repr(wire.AnyList(p.minions)), len(p.minions)))
		if i == 0 {
			c.Print("pool result :\n------------\n    " + p.result + "\n")
			continue
		}
		head := fmt.Sprintf("differences from %q results :", pools[0].minions[0])
		c.Print(head + "\n" + strings.Repeat("-", len(head)-1) + "\n" + difference(pools[0], p) + "\n")
	}
	return shownPools(pools), nil
}

// difference returns the unified diff of two results, without context.
func difference(from, to pool) string {
	a, b := lines(from.result), lines(to.result)
	if len(a) > diffLines || len(b) > diffLines {
		return fmt.Sprintf("(%d and %d lines are more than the %d that are compared)", len(a), len(b), diffLines)
	}
	return unified(a, b, from.minions[0], to.minions[0])
}

// lines splits text into lines without line ends.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
