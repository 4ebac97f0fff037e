package pyfmt

// SplitLines is Python's str.splitlines; with ends, each line keeps its line end.
func SplitLines(s string, ends bool) []string {
	var out []string
	start := 0
	for i, r := range s {
		if i < start { // the \n of \r\n
			continue
		}
		switch r {
		case '\n', '\v', '\f', '\x1c', '\x1d', '\x1e', '\u0085', '\u2028', '\u2029', '\r':
			end := i + len(string(r))
			if r == '\r' && i+1 < len(s) && s[i+1] == '\n' {
				end++
			}
			if ends {
				out = append(out, s[start:end])
			} else {
				out = append(out, s[start:i])
			}
			start = end
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
