package jinja

import (
	"strings"
	"unicode"

	"github.com/momtree/mom/salt/pyfmt"
)

// split is str.split and str.rsplit.
func (r *Run) split(s string, a *Args, fromRight bool) any {
	b := a.Bind("split", 0, "sep maxsplit")
	n := b.Int(1, -1)
	r.touch(s)
	var parts []string
	if sep := b.Any(0, nil); sep != nil {
		sep := b.Str(0, "")
		needSep(sep)
		r.pieces(s, strings.Count(s, sep)+1)
		parts = splitSep(s, sep, n, fromRight)
	} else {
		count, blank := 0, true
		for _, c := range s {
			was := blank
			if blank = unicode.IsSpace(c); was && !blank {
				count++
			}
		}
		r.pieces(s, count+1)
		parts = splitSpace(s, n, fromRight)
	}
	l := &List{Items: make([]any, len(parts))}
	for i, p := range parts {
		l.Items[i] = r.part(s, p)
	}
	return l
}

// pieces counts n parts of s in a list, and the work of finding them.
func (r *Run) pieces(s string, n int) {
	r.Room(n)
	r.Alloc(n * (slotBytes + boxBytes))
	r.Work(len(s))
}

func splitSep(s, sep string, n int, fromRight bool) []string {
	if n < 0 {
		return strings.Split(s, sep)
	}
	if !fromRight {
		return strings.SplitN(s, sep, n+1)
	}
	all := strings.Split(s, sep)
	if keep := len(all) - n; keep > 1 {
		return append([]string{strings.Join(all[:keep], sep)}, all[keep:]...)
	}
	return all
}

func splitSpace(s string, n int, fromRight bool) []string {
	fields := strings.Fields(s)
	if n < 0 || len(fields) <= n {
		return fields
	}
	if fromRight {
		rest := s
		out := make([]string, n+1)
		for k := n; k > 0; k-- {
			rest = strings.TrimRightFunc(rest, unicode.IsSpace)
			i := strings.LastIndexFunc(rest, unicode.IsSpace)
			out[k] = rest[i+1:]
			rest = rest[:i+1]
		}
		out[0] = strings.TrimRightFunc(rest, unicode.IsSpace)
		return out
	}
	rest := strings.TrimLeftFunc(s, unicode.IsSpace)
	var out []string
	for range n {
		i := strings.IndexFunc(rest, unicode.IsSpace)
		out = append(out, rest[:i])
		rest = strings.TrimLeftFunc(rest[i:], unicode.IsSpace)
	}
	return append(out, rest)
}

// splitLines is [pyfmt.SplitLines], counted.
func (r *Run) splitLines(s string, keep bool) []string {
	n := 1
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x85 || s[i] == 0xe2 {
			n++
		}
	}
	r.pieces(s, n)
	lines := pyfmt.SplitLines(s, keep)
	for i, l := range lines {
		lines[i] = r.part(s, l)
	}
	return lines
}
