package output

import (
	"strings"

	"github.com/dlclark/regexp2"
)

// wordParts matches the parts that Python's textwrap does not break: blanks, words up to a
// hyphen or to their end, dashes.
var wordParts = regexp2.MustCompile(`[\t\n\x0b\x0c\r ]+|`+
	`(?<=[\w!"'&.,?])-{2,}(?=\w)|`+
	`[^\t\n\x0b\x0c\r ]+?(?:-(?:(?<=[^\d\W]{2}-)|(?<=[^\d\W]-[^\d\W]-))(?=[^\d\W]-?[^\d\W])|(?=[\t\n\x0b\x0c\r ]|\z)|(?<=[\w!"'&.,?])(?=-{2,}\w))`, regexp2.None)

// wrap is Python's textwrap.fill: lines of a width with an indent before each. The indent
// counts.
func wrap(text string, most int, indent string) string {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("\t\n\x0b\x0c\r", r) {
			return ' '
		}
		return r
	}, expandTabs(text))
	var chunks []string
	for m, err := wordParts.FindStringMatch(text); m != nil && err == nil; m, err = wordParts.FindNextMatch(m) {
		chunks = append(chunks, m.String())
	}
	var out []string
	most -= len(indent)
	for len(chunks) > 0 {
		if len(out) > 0 && strings.TrimSpace(chunks[0]) == "" {
			chunks = chunks[1:]
		}
		var line []string
		column := 0
		for len(chunks) > 0 && column+width(chunks[0]) <= most {
			line, column = append(line, chunks[0]), column+width(chunks[0])
			chunks = chunks[1:]
		}
		if len(chunks) > 0 && width(chunks[0]) > most { // longer than a line: break it anywhere
			line, chunks[0] = breakWord(line, chunks[0], most-column)
		}
		if n := len(line); n > 0 && strings.TrimSpace(line[n-1]) == "" {
			line = line[:n-1]
		}
		if len(line) > 0 {
			out = append(out, indent+strings.Join(line, ""))
		}
	}
	return strings.Join(out, "\n")
}

// breakWord adds as much of a word as fits to the line, up to a hyphen if possible, and returns
// the rest.
func breakWord(line []string, word string, room int) (_ []string, rest string) {
	runes := []rune(word)
	end := min(room, len(runes))
	if len(runes) > room {
		head := string(runes[:room])
		if at := strings.LastIndexByte(head, '-'); at > 0 && strings.Trim(head[:at], "-") != "" {
			end = len([]rune(head[:at])) + 1
		}
	}
	return append(line, string(runes[:end])), string(runes[end:])
}

// expandTabs is Python's expandtabs: tab stops every 8 columns.
func expandTabs(s string) string {
	var b strings.Builder
	column := 0
	for _, r := range s {
		switch r {
		case '\t':
			n := 8 - column%8
			b.WriteString(strings.Repeat(" ", n))
			column += n
		case '\n', '\r':
			b.WriteRune(r)
			column = 0
		default:
			b.WriteRune(r)
			column++
		}
	}
	return b.String()
}
