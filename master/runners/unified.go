package runners

import (
	"fmt"
	"slices"
	"strings"
)

// block is a run of lines that two texts share: size lines from line a of the first and line b of
// the second.
type block struct{ a, b, size int }

// unified returns the differences of two texts like Python's difflib.unified_diff with n=0, or ""
// if they are equal.
func unified(a, b []string, from, to string) string {
	var out strings.Builder
	i, j := 0, 0
	for _, m := range common(a, b) {
		if i < m.a || j < m.b {
			if out.Len() == 0 {
				fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
			}
			fmt.Fprintf(&out, "@@ -%s +%s @@\n", span(i, m.a), span(j, m.b))
			for _, l := range a[i:m.a] {
				out.WriteString("-" + l + "\n")
			}
			for _, l := range b[j:m.b] {
				out.WriteString("+" + l + "\n")
			}
		}
		i, j = m.a+m.size, m.b+m.size
	}
	return out.String()
}

// span formats a range of lines as in the heads of a unified diff.
func span(from, to int) string {
	switch n := to - from; n {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	default:
		return fmt.Sprintf("%d,%d", from+1, n)
	}
}

// common returns the matching blocks of two texts in order, ending with an empty one. Like Python's
// difflib, it takes the longest block first and then searches before and after it.
func common(a, b []string) []block {
	at := places(b)
	var out []block
	open := []block{{}} // from a and b to the ends below
	ends := []block{{a: len(a), b: len(b)}}
	for len(open) > 0 {
		lo, hi := open[len(open)-1], ends[len(ends)-1]
		open, ends = open[:len(open)-1], ends[:len(ends)-1]
		m := longest(a, b, at, lo, hi)
		if m.size == 0 {
			continue
		}
		out = append(out, m)
		open = append(open, lo, block{a: m.a + m.size, b: m.b + m.size})
		ends = append(ends, block{a: m.a, b: m.b}, hi)
	}
	slices.SortFunc(out, func(x, y block) int { return x.a - y.a })
	return append(out, block{a: len(a), b: len(b)})
}

// popular is the number of lines of a text from which on its frequent lines do not start a match.
const popular = 200

// places maps each line of a text to its positions. It omits the frequent lines of a long text.
func places(b []string) map[string][]int {
	at := map[string][]int{}
	for j, l := range b {
		at[l] = append(at[l], j)
	}
	if len(b) >= popular {
		for l, js := range at {
			if len(js) > len(b)/100+1 {
				delete(at, l)
			}
		}
	}
	return at
}

// longest returns the longest block within bounds, the first of equals, extended by frequent lines
// that cannot start a match.
func longest(a, b []string, at map[string][]int, lo, hi block) block {
	best := block{a: lo.a, b: lo.b}
	ending := map[int]int{} // length of the block that ends at a line of b
	for i := lo.a; i < hi.a; i++ {
		now := map[int]int{}
		for _, j := range at[a[i]] {
			if j < lo.b {
				continue
			}
			if j >= hi.b {
				break
			}
			k := ending[j-1] + 1
			now[j] = k
			if k > best.size {
				best = block{i - k + 1, j - k + 1, k}
			}
		}
		ending = now
	}
	for best.a > lo.a && best.b > lo.b && a[best.a-1] == b[best.b-1] {
		best.a, best.b, best.size = best.a-1, best.b-1, best.size+1
	}
	for best.a+best.size < hi.a && best.b+best.size < hi.b && a[best.a+best.size] == b[best.b+best.size] {
		best.size++
	}
	return best
}
