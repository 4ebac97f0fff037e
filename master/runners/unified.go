package runners

import (
	"fmt"
	"slices"
	"strings"
)

// block are lines that two texts have in common: size of them, from a in the one and from
// b in the other.
type block struct{ a, b, size int }

// unified writes in which lines two texts differ, without lines around them, as Python's
// difflib.unified_diff does; "" if they are equal.
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

// span names lines as the heads of such a text do.
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

// common finds the blocks that are in both, in their order, the last one empty behind
// both: the longest first, and then what is before and behind it, as Python's difflib.
func common(a, b []string) []block {
	at := places(b)
	var out []block
	open := []block{{}} // here a.. and b.. to ends below
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

// popular is the number of lines from which on those that are there often are not looked
// for by themselves.
const popular = 200

// places tells where each line is in a text.
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

// longest finds the longest block within bounds, the first of several, and lengthens it by
// lines that are there too often to be looked for.
func longest(a, b []string, at map[string][]int, lo, hi block) block {
	best := block{a: lo.a, b: lo.b}
	ending := map[int]int{} // the length of the block that ends in a line of b
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
