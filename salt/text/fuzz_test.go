package text

import (
	"strings"
	"testing"
)

// Whatever the text and the options, an edit of a line ends, and an unchanged text stays as
// it was.
func FuzzLine(f *testing.F) {
	f.Add("a\r\nb\n", "new", "ensure", "a", "b", "end", byte(7))
	f.Add("", "\r", "insert", "(", "", "start", byte(0))
	f.Add("x\r\r\n\n", "", "delete", "x", "x", "", byte(1))
	f.Fuzz(func(t *testing.T, s, content, mode, before, after, location string, set byte) {
		o := LineOptions{Mode: mode, Match: after, Location: location, NoIndent: set&1 != 0}
		if set&2 != 0 {
			o.Before = &before
		}
		if set&4 != 0 {
			o.After = &after
		}
		if set&8 == 0 {
			o.Content = &content
		}
		e, err := Line(s, o)
		if err == nil && !e.Changed() && e.Text() != s {
			t.Fatalf("%q is not %q, and not changed", e.Text(), s)
		}
	})
}

// A written block stands between its marks, and repeating the edit changes nothing.
func FuzzBlock(f *testing.F) {
	f.Add("x\n", "new", byte(1))
	f.Add("#S\r\nold\r\n#E tail", "a\r\nb\n", byte(2))
	f.Add("#S\n#S #E\n#E", "", byte(5))
	f.Fuzz(func(t *testing.T, s, content string, set byte) {
		if strings.Contains(content, "#") {
			return // a content with marks in it is not a block
		}
		o := BlockOptions{Start: "#S", End: "#E", Content: content, Newline: set&4 != 0, Append: set&1 != 0, Prepend: set&3 == 2}
		e, err := Block(s, o)
		if err != nil {
			return
		}
		if strings.Contains(s, "\r") || strings.Contains(content, "\r") {
			return // a \r ends a line too, so the text is parsed differently
		}
		again, err := Block(e.Text(), o)
		if err != nil || again.Changed() {
			t.Fatalf("again: %q, %v", again.Text(), err)
		}
	})
}

// A regular expression and a replacement are rejected or applied, and one without a match
// changes nothing.
func FuzzReplace(f *testing.F) {
	f.Add("foo\n", `(?P<a>o)(?P=a)`, `\g<a>\1\0\101`, int64(8))
	f.Add("", `[]a]{,2}\_`, `\`, int64(64))
	f.Add("k=v", `(a)|(?(1)b|c)(?#d)`, `\g<`, int64(2))
	f.Fuzz(func(t *testing.T, s, pattern, repl string, flags int64) {
		if len(s) > 256 || len(pattern) > 64 {
			return // the search time is bounded elsewhere
		}
		e, err := Replace(s, ReplaceOptions{Pattern: pattern, Repl: repl, Flags: flags})
		if err != nil {
			return
		}
		if found, err := Search(s, pattern, flags); err == nil && !found && e.Changed() {
			t.Fatalf("%q matches nowhere in %q, which becomes %q", pattern, s, e.Text())
		}
	})
}

// A quoted text matches itself, whatever the flags.
func FuzzQuote(f *testing.F) {
	f.Add("a.b #c\n")
	f.Add(`\_é{,2}`)
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ToValidUTF8(s, "") != s {
			return // not UTF-8
		}
		for _, flags := range []int64{0, 8, 64} {
			if found, err := Search("x"+s+"y", "x"+Quote(s)+"y", flags); err != nil || !found {
				t.Fatalf("%q with %d: %v", s, flags, err)
			}
		}
	})
}
