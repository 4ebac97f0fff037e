package jinja

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// eachLine iterates over the lines of a text like str.splitlines; with ended, as if one
// more line end followed.
func eachLine(s string, ended bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		last, _ := utf8.DecodeLastRuneInString(s)
		ended = ended && (s == "" || strings.ContainsRune("\n\v\f\x1c\x1d\x1e\u0085\u2028\u2029", last))
		for s != "" {
			i := strings.IndexAny(s, "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
			if i < 0 {
				yield(s)
				return
			}
			_, n := utf8.DecodeRuneInString(s[i:])
			if strings.HasPrefix(s[i:], "\r\n") {
				n = 2
			}
			if !yield(s[:i]) {
				return
			}
			s = s[i+n:]
		}
		if ended {
			yield("")
		}
	}
}

// wrapper breaks lines like Python's textwrap with white space kept.
type wrapper struct {
	r         *Run
	out       *Builder
	width     int
	sep       string
	breakLong bool

	from, cur string // the rest of the line from the start of cur, and the part of it in cur
	size      int    // of cur, in characters
	lines     int
}

// line breaks one line.
func (w *wrapper) line(line string, onHyphens bool) {
	w.from, w.cur, w.size, w.lines = line, "", 0, 0
	for rest := line; rest != ""; {
		c := chunk(rest, onHyphens)
		w.r.Work(4*len(c) + 8*visitWork)
		w.add(rest, c)
		rest = rest[len(c):]
	}
	w.end(false)
}

// chunk returns the next unbreakable piece: blanks, a word, or a word up to its hyphen.
func chunk(s string, onHyphens bool) string {
	i := strings.IndexFunc(s, unicode.IsSpace)
	switch {
	case i < 0:
		i = len(s)
	case i == 0:
		return s[:len(s)-len(strings.TrimLeftFunc(s, unicode.IsSpace))]
	}
	if h := strings.IndexByte(s[:i], '-'); onHyphens && h > 0 && h+1 < i {
		return s[:h+1]
	}
	return s[:i]
}

// add appends the chunk at the start of rest to the current line, or ends that line.
func (w *wrapper) add(rest, c string) {
	n, blank := utf8.RuneCountInString(c), strings.TrimSpace(c) == ""
	for c != "" {
		w.r.Work(visitWork)
		if w.cur == "" {
			if blank && w.lines > 0 {
				return
			}
			w.from = rest
		}
		if w.size+n <= w.width {
			w.take(len(c), n)
			return
		}
		switch {
		case n > w.width && w.breakLong:
			size := 0
			for range max(w.width-w.size, 1) {
				_, k := utf8.DecodeRuneInString(c[size:])
				size += k
			}
			room := max(w.width-w.size, 1)
			w.take(size, room)
			c, rest, n = c[size:], rest[size:], n-room
		case w.cur == "":
			w.take(len(c), n)
			c = ""
		}
		w.end(true)
	}
}

func (w *wrapper) take(bytes, characters int) {
	w.cur = w.from[:len(w.cur)+bytes]
	w.size += characters
}

// end writes the current line. An empty one is written only if it is the first and more
// lines follow.
func (w *wrapper) end(more bool) {
	t := strings.TrimRightFunc(w.cur, unicode.IsSpace)
	if t != "" || more && w.lines == 0 {
		if w.lines > 0 {
			_, _ = w.out.WriteString(w.sep)
		}
		_, _ = w.out.WriteString(t)
		w.lines++
	}
	w.cur, w.size = "", 0
}

// withoutTags returns s without HTML comments and tags.
func withoutTags(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	// The known positions of the next ends: a missing one is searched only once.
	comment, tag := -1, -1
	find := func(known *int, from int, end string) int {
		if *known < from {
			if *known = strings.Index(s[from:], end); *known < 0 {
				*known = len(s)
			} else {
				*known += from
			}
		}
		return *known
	}
	for i := 0; i < len(s); {
		open := strings.IndexByte(s[i:], '<')
		if open < 0 {
			b.WriteString(s[i:])
			break
		}
		b.WriteString(s[i : i+open])
		i += open
		if strings.HasPrefix(s[i:], "<!--") {
			if end := find(&comment, i+4, "-->"); end < len(s) {
				i = end + 3
				continue
			}
		}
		end := find(&tag, i+1, ">")
		if end == len(s) {
			b.WriteString(s[i:])
			break
		}
		i = end + 1
	}
	return b.String()
}
