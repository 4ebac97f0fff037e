package render

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/salt/pyfmt"
)

// scalarForm is what PyYAML finds out about a text before it chooses quotes.
type scalarForm struct {
	multiline                     bool
	flowPlain, blockPlain, single bool
}

func isBreak(c rune) bool { return c == '\n' || c == '\u0085' || c == '\u2028' || c == '\u2029' }

func isBlank(c rune) bool { return c == 0 || c == ' ' || c == '\t' || c == '\r' || isBreak(c) }

func analyze(s string, ascii bool) scalarForm {
	if s == "" {
		return scalarForm{blockPlain: true, single: true}
	}
	runes := []rune(s)
	last := len(runes) - 1
	var flowMarks, blockMarks, breaks, special, odd, breakSpace, spaceBreak bool
	if strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") {
		flowMarks, blockMarks = true, true
	}
	wasSpace, wasBreak, afterBlank := false, false, true
	for i, c := range runes {
		beforeBlank := i == last || isBlank(runes[i+1])
		if i == 0 {
			switch {
			case strings.ContainsRune("#,[]{}&*!|>'\"%@`", c):
				flowMarks, blockMarks = true, true
			case c == '?' || c == ':':
				flowMarks = true
				blockMarks = blockMarks || beforeBlank
			case c == '-' && beforeBlank:
				flowMarks, blockMarks = true, true
			}
		} else {
			switch {
			case strings.ContainsRune(",?[]{}", c):
				flowMarks = true
			case c == ':':
				flowMarks = true
				blockMarks = blockMarks || beforeBlank
			case c == '#' && afterBlank:
				flowMarks, blockMarks = true, true
			}
		}
		breaks = breaks || isBreak(c)
		printable := c == '\n' || c >= 0x20 && c <= 0x7e || c == 0x85 || c >= 0xa0 && c <= 0xd7ff ||
			c >= 0xe000 && c <= 0xfffd && c != 0xfeff
		special = special || !printable || ascii && c > 0x7e
		switch {
		case c == ' ':
			odd = odd || i == 0 || i == last
			breakSpace = breakSpace || wasBreak
			wasSpace, wasBreak = true, false
		case isBreak(c):
			odd = odd || i == 0 || i == last
			spaceBreak = spaceBreak || wasSpace
			wasSpace, wasBreak = false, true
		default:
			wasSpace, wasBreak = false, false
		}
		afterBlank = isBlank(c)
	}
	f := scalarForm{multiline: breaks, flowPlain: true, blockPlain: true, single: true}
	if odd || breaks {
		f.flowPlain, f.blockPlain = false, false
	}
	if breakSpace || spaceBreak || special {
		f.flowPlain, f.blockPlain, f.single = false, false, false
	}
	f.flowPlain = f.flowPlain && !flowMarks
	f.blockPlain = f.blockPlain && !blockMarks
	return f
}

// timestamp is what YAML 1.1 takes for a time: PyYAML quotes it, though Salt reads it
// as text.
var timestamp = regexp.MustCompile(`^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$`)

// plainText tells whether a text without quotes is read as text.
func plainText(s string) bool {
	_, isText := pyfmt.YAMLScalar(s).(string)
	return isText && s != "=" && s != "<<" && !timestamp.MatchString(s)
}

// scalar writes a text.
func (e *emitter) scalar(s string, p position) {
	e.count32(s)
	f := analyze(s, e.form.ascii)
	plain := f.blockPlain
	if p.inFlow {
		plain = f.flowPlain
	}
	if s == "" && (p.inFlow || p.key) {
		plain = false
	}
	switch {
	case plain && plainText(s) && !(p.key && f.multiline):
		e.plain(s, p)
	case f.single && !(p.key && f.multiline):
		e.single(s, p)
	default:
		e.double(s, p)
	}
}

// fold is the indent of a line that is broken inside a text.
func (e *emitter) fold(p position) int {
	if e.form.margin {
		return 0
	}
	return max(p.indent, 0) + 2
}

func (e *emitter) plain(s string, p position) {
	runes := []rune(s)
	for i, c := range runes {
		if c == ' ' && !p.key && e.col > yamlWidth && i > 0 && i < len(runes)-1 && runes[i-1] != ' ' && runes[i+1] != ' ' {
			e.newline(e.fold(p))
			continue
		}
		e.write(string(c))
	}
}

func (e *emitter) single(s string, p position) {
	e.write("'")
	runes := []rune(s)
	inBreaks := false
	for i, c := range runes {
		switch {
		case c == ' ' && !p.key && e.col > yamlWidth && i > 0 && i < len(runes)-1 && runes[i-1] != ' ' && runes[i+1] != ' ':
			e.newline(e.fold(p))
		case isBreak(c):
			if !inBreaks && c == '\n' {
				e.write("\n")
			}
			e.write(string(c))
			inBreaks = true
			continue
		default:
			if inBreaks {
				e.write(strings.Repeat(" ", e.fold(p)))
			}
			if c == '\'' {
				e.write("''")
			} else {
				e.write(string(c))
			}
		}
		inBreaks = false
	}
	if inBreaks {
		e.write(strings.Repeat(" ", e.fold(p)))
	}
	e.write("'")
}

var doubleEscapes = map[rune]string{
	0: `\0`, 7: `\a`, 8: `\b`, 9: `\t`, 10: `\n`, 11: `\v`, 12: `\f`, 13: `\r`, 27: `\e`, '"': `\"`, '\\': `\\`,
	0x85: `\N`, 0xa0: `\_`, 0x2028: `\L`, 0x2029: `\P`,
}

func (e *emitter) double(s string, p position) {
	e.write(`"`)
	runes := []rune(s)
	wasSpace := false
	for i, c := range runes {
		esc, escaped := doubleEscapes[c]
		printable := c >= 0x20 && c <= 0x7e || !e.form.ascii && (c >= 0xa0 && c <= 0xd7ff || c >= 0xe000 && c <= 0xfffd && c != 0xfeff)
		switch {
		case c == utf8.RuneError:
			e.write(string(c))
		case escaped && (c != 0xa0 || e.form.ascii):
			e.write(esc)
		case !printable && c <= 0xff:
			e.write(fmt.Sprintf(`\x%02X`, c))
		case !printable && c <= 0xffff:
			e.write(fmt.Sprintf(`\u%04X`, c))
		case !printable:
			e.write(fmt.Sprintf(`\U%08X`, c))
		case c == ' ' && !p.key && !wasSpace && e.col > yamlWidth && i > 0 && i < len(runes)-1:
			e.newline(e.fold(p))
			if runes[i+1] == ' ' {
				e.write(`\`)
			}
			wasSpace = true
			continue
		default:
			e.write(string(c))
		}
		wasSpace = c == ' '
	}
	e.write(`"`)
}

// count32 counts what it takes to look at a text as 32-bit characters.
func (e *emitter) count32(s string) {
	e.r.Alloc(8 * len(s))
	e.r.Work(100 * len(s))
}

// quoteDouble and quoteSingle are the filters yaml_dquote and yaml_squote.
func quoteDouble(r *jinja.Run, s string) string {
	e := &emitter{r: r, b: r.Builder(), max: 1 << 30, col: -1 << 40, form: yamlForm{ascii: true, margin: true}}
	e.count32(s)
	e.double(s, position{indent: -1, key: true})
	return e.b.String()
}

func quoteSingle(r *jinja.Run, s string) string {
	e := &emitter{r: r, b: r.Builder(), max: 1 << 30, col: -1 << 40, form: yamlForm{ascii: true, margin: true}}
	e.count32(s)
	e.single(s, position{indent: -1, key: true})
	return e.b.String()
}
