package output

import (
	"cmp"
	"slices"

	"github.com/momtree/mom/salt/pyfmt"
)

// sortPairs orders entries as Python's sorted does: texts, or numbers. Keys
// of several kinds cannot be compared there; they become texts, which it
// reports by false.
func sortPairs(ps []pair) bool {
	texts, numbers := true, true
	for _, p := range ps {
		_, isText := p.key.(string)
		_, isNumber := pyfmt.Number(p.key)
		texts, numbers = texts && isText, numbers && isNumber
	}
	switch {
	case texts:
		slices.SortStableFunc(ps, func(a, b pair) int { return cmp.Compare(a.key.(string), b.key.(string)) })
	case numbers:
		slices.SortStableFunc(ps, func(a, b pair) int {
			x, _ := pyfmt.Number(a.key)
			y, _ := pyfmt.Number(b.key)
			return cmp.Compare(x, y)
		})
	default:
		return len(ps) < 2
	}
	return true
}

// textKeys makes all keys texts.
func textKeys(ps []pair) {
	for i := range ps {
		ps[i].key = pyfmt.Str(ps[i].key)
	}
}
