package text

import (
	"fmt"
	"strings"
)

// contextLines is how many equal lines are shown around a change.
const contextLines = 3

// UnifiedDiff is the difference between two lists of lines that keep their line ends, nil
// when there is none: Python's unified_diff without file names.
func UnifiedDiff(a, b []string) []string {
	var out []string
	for _, group := range grouped(newMatcher(a, b).ops(), contextLines) {
		if out == nil {
			out = append(out, "--- \n", "+++ \n")
		}
		first, last := group[0], group[len(group)-1]
		out = append(out, fmt.Sprintf("@@ -%s +%s @@\n", span(first.i1, last.i2), span(first.j1, last.j2)))
		for _, o := range group {
			if o.kind == '=' {
				out = prefixed(out, " ", a[o.i1:o.i2])
				continue
			}
			out = prefixed(out, "-", a[o.i1:o.i2])
			out = prefixed(out, "+", b[o.j1:o.j2])
		}
	}
	return out
}

// Diff is the difference of two texts.
func Diff(a, b string) string { return strings.Join(UnifiedDiff(DiffLines(a), DiffLines(b)), "") }

// DiffLines parts a text after each line break, which the lines keep.
func DiffLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func prefixed(out []string, prefix string, lines []string) []string {
	for _, l := range lines {
		out = append(out, prefix+l)
	}
	return out
}

// span writes a range of lines as the head of a hunk has it.
func span(start, stop int) string {
	switch n := stop - start; n {
	case 1:
		return fmt.Sprint(start + 1)
	case 0:
		return fmt.Sprintf("%d,0", start)
	default:
		return fmt.Sprintf("%d,%d", start+1, n)
	}
}
