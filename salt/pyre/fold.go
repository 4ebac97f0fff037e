package pyre

import (
	"cmp"
	"slices"
	"sync"
	"unicode"
)

// folding says how letters are compared without regard to case.
type folding uint8

const (
	foldNone folding = iota
	foldASCII
	foldUnicode
)

func foldingOf(flags int) folding {
	switch {
	case flags&flagI == 0:
		return foldNone
	case flags&flagA != 0:
		return foldASCII
	}
	return foldUnicode
}

func (f folding) lower(r rune) rune {
	switch {
	case f == foldNone, f == foldASCII && r > unicode.MaxASCII:
		return r
	}
	return unicode.ToLower(r)
}

// closure returns the characters to add to a range, so that it can be tested with the lower
// case of a character.
func (f folding) closure(lo, hi rune) (out [][2]rune) {
	add := func(r rune) {
		if r < lo || r > hi {
			out = append(out, [2]rune{r, r})
		}
	}
	if f == foldASCII {
		for r := max(lo, 'A'); r <= min(hi, 'Z'); r++ {
			add(r + 'a' - 'A')
		}
		return out
	}
	for _, c := range casedIn(lo, hi) {
		for _, x := range c.same {
			add(x)
		}
	}
	return out
}

// casedIn returns the characters with case in a range.
func casedIn(lo, hi rune) []letter {
	find := func(l letter, r rune) int { return cmp.Compare(l.r, r) }
	all := cased()
	from, _ := slices.BinarySearchFunc(all, lo, find)
	to, _ := slices.BinarySearchFunc(all, hi+1, find)
	return all[from:to]
}

// uppers maps lower case characters to their upper case ones.
var uppers = sync.OnceValue(func() map[rune][]rune {
	out := map[rune][]rune{}
	for _, l := range cased() {
		if low := unicode.ToLower(l.r); low != l.r {
			out[low] = append(out[low], l.r)
		}
	}
	return out
})

// letter is a character with case, and its equivalent lower case letters.
type letter struct {
	r    rune
	same []rune
}

// alike are lower case letters with the same upper case of several characters.
var alike = [][2]rune{{0x390, 0x1fd3}, {0x3b0, 0x1fe3}, {0xfb05, 0xfb06}}

// cased lists all characters with case, in order.
var cased = sync.OnceValue(func() []letter {
	lowers := map[rune][]rune{} // by upper case: lower case letters
	var all []rune
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.ToLower(r) == r && unicode.ToUpper(r) != r {
			lowers[unicode.ToUpper(r)] = append(lowers[unicode.ToUpper(r)], r)
		}
		if unicode.ToLower(r) != r || unicode.ToUpper(r) != r {
			all = append(all, r)
		}
	}
	same := map[rune][]rune{}
	for _, group := range lowers {
		for _, r := range group {
			same[r] = group
		}
	}
	for _, pair := range alike {
		same[pair[0]], same[pair[1]] = pair[:], pair[:]
		all = append(all, pair[:]...)
	}
	slices.Sort(all)
	out := make([]letter, 0, len(all))
	for _, r := range all {
		l := unicode.ToLower(r)
		out = append(out, letter{r, append([]rune{l}, same[l]...)})
	}
	return out
})
