package text

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Split splits a text like Python's splitlines, at every line end it recognizes; keep keeps
// the line ends.
func Split(s string, keep bool) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch r {
		case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
			if r == '\r' && strings.HasPrefix(s[i+1:], "\n") {
				n = 2
			}
			end := i
			if keep {
				end = i + n
			}
			out = append(out, s[start:end])
			start = i + n
		}
		i += n
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// rawLines splits a text after each \n, \r and \r\n, and keeps the line ends.
func rawLines(s string) []string {
	var out []string
	for s != "" {
		end := strings.IndexAny(s, "\r\n")
		switch {
		case end < 0:
			end = len(s)
		case strings.HasPrefix(s[end:], "\r\n"):
			end += 2
		default:
			end++
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	return out
}

// lineEnd returns the line end of a line, or "".
func lineEnd(s string) string {
	// Python's $ also matches before a final \n.
	for start := max(0, len(s)-3); start < len(s); start++ {
		rest := s[start:]
		for _, end := range []string{"\n", "\r", "\r\n"} {
			if !strings.HasPrefix(rest, end) || rest != end && rest != end+"\n" {
				continue
			}
			if end == "\n" && strings.HasSuffix(s[:start], "\r") || end == "\r" && strings.HasPrefix(rest, "\r\n") {
				continue
			}
			return end
		}
	}
	return ""
}

// IsText guesses from the first 512 bytes whether data is text, as Salt does.
func IsText(data []byte) bool {
	block := data[:min(len(data), 512)]
	if len(block) == 0 {
		return true
	}
	if bytes.IndexByte(block, 0) >= 0 {
		return false
	}
	if utf8.Valid(block) {
		return true
	}
	odd := 0
	for _, b := range block {
		if (b < 32 || b >= 127) && !bytes.ContainsRune([]byte("\b\t\n\f\r"), rune(b)) {
			odd++
		}
	}
	return float64(odd)/float64(len(block)) <= 0.30
}
