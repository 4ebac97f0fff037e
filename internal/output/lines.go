package output

// lines is Python's splitlines.
func lines(s string) []string {
	var out []string
	for _, l := range linesWithEnds(s) {
		out = append(out, l.text)
	}
	return out
}

// line is a line of a text and what ends it: "" at the end of the text.
type line struct{ text, end string }

// linesWithEnds is Python's splitlines that keeps the ends.
func linesWithEnds(s string) []line {
	var out []line
	start := 0
	for i, r := range s {
		if i < start { // the \n of \r\n
			continue
		}
		switch r {
		case '\n', '\v', '\f', '\x1c', '\x1d', '\x1e', '\u0085', '\u2028', '\u2029', '\r':
			end := string(r)
			if r == '\r' && i+1 < len(s) && s[i+1] == '\n' {
				end = "\r\n"
			}
			out = append(out, line{s[start:i], end})
			start = i + len(end)
		}
	}
	if start < len(s) {
		out = append(out, line{s[start:], ""})
	}
	return out
}
