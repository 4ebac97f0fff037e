package output

// colors are Salt's names for terminal colours; all are empty without colour.
type colors struct {
	red, lightRed, green, lightGreen, lightYellow, blue, lightBlue, magenta, lightMagenta, cyan, end string
}

func theme(on bool) colors {
	if !on {
		return colors{}
	}
	return colors{
		red: "\x1b[0;31m", lightRed: "\x1b[0;1;31m",
		green: "\x1b[0;32m", lightGreen: "\x1b[0;1;32m",
		lightYellow: "\x1b[0;1;33m",
		blue:        "\x1b[0;34m", lightBlue: "\x1b[0;1;34m",
		magenta: "\x1b[0;35m", lightMagenta: "\x1b[0;1;35m",
		cyan: "\x1b[0;36m", end: "\x1b[0;0m",
	}
}

// lines is Python's splitlines.
func lines(s string) []string {
	var out []string
	start := 0
	for i, r := range s {
		switch r {
		case '\n', '\v', '\f', '\x1c', '\x1d', '\x1e', '\u0085', '\u2028', '\u2029':
			if r == '\n' && i > 0 && s[i-1] == '\r' {
				start = i + 1
				continue
			}
			out = append(out, s[start:i])
			start = i + len(string(r))
		case '\r':
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
