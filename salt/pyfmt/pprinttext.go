package pyfmt

import (
	"slices"
	"strings"
)

// str writes a long string as several literals, which Python concatenates.
func (w *prettyWriter) str(s string, indent, allowance, level int) {
	if level == 1 {
		indent++
		allowance++
	}
	all := SplitLines(s, true)
	if len(all) == 0 {
		w.text("''")
		return
	}
	most := pprintWidth - indent
	var chunks []string
	for i, l := range all {
		last := i == len(all)-1
		rep := w.model.Repr(l)
		here := most
		if last {
			here -= allowance
		}
		if width(rep) <= here {
			chunks = append(chunks, rep)
			continue
		}
		chunks = append(chunks, w.broken(l, most, last, allowance)...)
	}
	w.chunks(chunks, indent, level)
}

// broken breaks one line between its words.
func (w *prettyWriter) broken(s string, most int, last bool, allowance int) (chunks []string) {
	parts := wordsWithBlanks(s)
	current := ""
	for j, part := range parts {
		if last && j == len(parts)-1 {
			most -= allowance
		}
		if width(w.model.Repr(current+part)) <= most {
			current += part
			continue
		}
		if current != "" {
			chunks = append(chunks, w.model.Repr(current))
		}
		current = part
	}
	if current != "" {
		chunks = append(chunks, w.model.Repr(current))
	}
	return chunks
}

// wordsWithBlanks returns the words, each with its trailing blanks.
func wordsWithBlanks(s string) []string {
	var out []string
	start, blank := 0, false
	for i, r := range s {
		now := IsSpace(r)
		if blank && !now {
			out = append(out, s[start:i])
			start = i
		}
		blank = now
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

func (w *prettyWriter) chunks(chunks []string, indent, level int) {
	if len(chunks) == 1 {
		w.text(chunks[0])
		return
	}
	if level == 1 {
		w.text("(")
	}
	w.lines(chunks, indent)
	if level == 1 {
		w.text(")")
	}
}

// lines writes pieces on separate lines.
func (w *prettyWriter) lines(chunks []string, indent int) {
	for i, c := range chunks {
		if i > 0 {
			w.model.Alloc(indent + 1)
			w.text("\n" + strings.Repeat(" ", indent))
		}
		w.text(c)
	}
}

// bytes writes long bytes as several literals.
func (w *prettyWriter) bytes(s []byte, indent, allowance, level int) {
	if level == 1 {
		indent++
		allowance++
	}
	most := pprintWidth - indent
	var chunks []string
	var current []byte
	for i := 0; i < len(s); i += 4 {
		part := s[i:min(i+4, len(s))]
		if i == len(s)/4*4 {
			most -= allowance
		}
		if next := slices.Concat(current, part); len(w.model.Repr(next)) <= most {
			current = next
			continue
		}
		if len(current) > 0 {
			chunks = append(chunks, w.model.Repr(current))
		}
		current = part
	}
	if len(current) > 0 {
		chunks = append(chunks, w.model.Repr(current))
	}
	if level == 1 { // in parentheses even if it is a single one
		w.text("(")
	}
	w.lines(chunks, indent)
	if level == 1 {
		w.text(")")
	}
}
