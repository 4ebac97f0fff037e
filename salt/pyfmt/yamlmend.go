package pyfmt

import (
	"bytes"
	"regexp"
	"slices"
)

// maxMended is the most places of one document that mend rewrites.
const maxMended = 1000

var (
	version    = regexp.MustCompile(`(?m)^%YAML[ \t]+1\.\d+`)
	slashEsc   = []byte(`\/`)
	slashAsHex = []byte(`\x2F`)
)

// mend rewrites text that Salt's loader accepts and the YAML library does not: the escape
// \/ in double quotes, and a directive of another version of YAML 1. It reports whether err
// is about one of these and b has changed.
func mend(err error, b []byte) ([]byte, bool) {
	if err == nil {
		return nil, false
	}
	switch f := syntax(err, b); f.Text {
	case "invalid YAML: found incompatible YAML document":
		out := version.ReplaceAll(b, []byte("%YAML 1.1"))
		return out, !bytes.Equal(out, b)
	case "invalid YAML: found unknown escape character":
		from := lineStart(b, f.Line)
		at := slashIn(b[from:])
		if at < 0 {
			return nil, false
		}
		at += from
		return slices.Concat(b[:at], slashAsHex, b[at+len(slashEsc):]), true
	}
	return nil, false
}

// lineStart returns the offset of a line, counted from 1.
func lineStart(b []byte, line int) int {
	at := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return at
}

// slashIn returns the offset of the first \/ in a line whose backslash is not escaped, or
// -1. It prefers one inside double quotes.
func slashIn(line []byte) int {
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	outside, quoted := -1, false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			if line[i+1] == '/' && quoted {
				return i
			}
			if line[i+1] == '/' && outside < 0 {
				outside = i
			}
			i++
		case line[i] == '"':
			quoted = !quoted
		}
	}
	return outside
}
