package output

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/salt/pyfmt"
)

// Tabular is the form of a state in one line: the zero value is Salt's default, [Aligned]
// aligns columns, and [ParseTabular] returns a form of the operator.
type Tabular struct {
	aligned bool
	parts   []tabularPart
}

// Aligned is the form for state_tabular: True.
var Aligned = Tabular{aligned: true}

// tabularPart is a text followed by a field.
type tabularPart struct {
	text    string
	field   int    // -1: none
	key     string // of the state's result
	text1   bool   // !s: converted to a string first
	fill    rune
	align   byte // <, > or ^; 0: by kind
	width   int
	cut     int // of a text, and the places of a number; -1: not at all
	decimal bool
}

// Bounds of a form.
const (
	maxTabular      = 4 << 10
	maxTabularWidth = 1 << 10
)

// ParseTabular parses a string of state_tabular. Its fields in Python's format syntax are 0 the
// colour, 1 the name, 2 the module, 3 the function, 4 the result, 5 the end of the colour and
// 6[NAME] another field of the state, such as {6[duration]!s:>7}.
func ParseTabular(text string) (Tabular, error) {
	fail := func(at int, why string) (Tabular, error) {
		return Tabular{}, fmt.Errorf("state_tabular: character %d of %q: %s", at+1, text, why)
	}
	if len(text) > maxTabular {
		return Tabular{}, fmt.Errorf("state_tabular: the text has %d bytes; at most %d are taken", len(text), maxTabular)
	}
	var t Tabular
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case (c == '{' || c == '}') && i+1 < len(text) && text[i+1] == c:
			b.WriteByte(c)
			i++
		case c == '}':
			return fail(i, "} closes nothing; write }} for the character")
		case c != '{':
			b.WriteByte(c)
		default:
			end := strings.IndexByte(text[i:], '}')
			if end < 0 {
				return fail(i, "{ is not closed; write {{ for the character")
			}
			p, err := parseTabularField(text[i+1 : i+end])
			if err != nil {
				return fail(i, err.Error())
			}
			p.text = b.String()
			b.Reset()
			t.parts = append(t.parts, p)
			i += end
		}
	}
	t.parts = append(t.parts, tabularPart{text: b.String(), field: -1})
	return t, nil
}

func parseTabularField(s string) (tabularPart, error) {
	p := tabularPart{fill: ' ', cut: -1}
	name, spec, _ := strings.Cut(s, ":")
	name, p.text1 = strings.CutSuffix(name, "!s")
	number, key, keyed := strings.Cut(name, "[")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > 6 {
		return p, fmt.Errorf("%q is no field; they are 0 to 6", number)
	}
	p.field = n
	if keyed != (n == 6) || keyed && !strings.HasSuffix(key, "]") {
		return p, fmt.Errorf("%q: 6, and it alone, takes a name in brackets, such as 6[duration]", name)
	}
	p.key = strings.TrimSuffix(key, "]")
	runes := []rune(spec)
	if len(runes) > 1 && strings.ContainsRune("<>^", runes[1]) {
		p.fill, runes = runes[0], runes[1:]
	}
	if len(runes) > 0 && strings.ContainsRune("<>^", runes[0]) {
		p.align, runes = byte(runes[0]), runes[1:]
	}
	rest := string(runes)
	rest, p.decimal = strings.CutSuffix(rest, "f")
	if !p.decimal {
		rest = strings.TrimSuffix(rest, "s")
	}
	wide, cut, precise := strings.Cut(rest, ".")
	if wide != "" {
		if p.width, err = strconv.Atoi(wide); err != nil || p.width < 0 || p.width > maxTabularWidth {
			return p, fmt.Errorf("%q is not a width up to %d", wide, maxTabularWidth)
		}
	}
	if precise {
		if p.cut, err = strconv.Atoi(cut); err != nil || p.cut < 0 || p.cut > maxTabularWidth {
			return p, fmt.Errorf("%q is not a number of places up to %d", cut, maxTabularWidth)
		}
	}
	return p, nil
}

// line returns a state in one line.
func (t Tabular) line(c colors, color string, s state, times bool) (string, error) {
	result := "Clean"
	if pyfmt.Truth(s.changes) {
		result = "Changed"
	}
	switch s.result {
	case false:
		result = "Failed"
	case nil:
		result = "Differs"
	}
	times = times && s.started != nil
	if times && s.took == nil {
		return "", errShape
	}
	tame := func(v any) string { return terminal.Text(pyfmt.Str(v)) }
	name, mod, fun := tame(s.parts[2]), terminal.Line(s.parts[0]), terminal.Line(s.parts[3])
	if t.parts != nil {
		return t.own([]string{color, name, mod, fun, result, c.end}, s)
	}
	warning := ""
	if s.warned {
		warning = c.lightRed + "Warnings:\n" + terminal.Text(strings.Join(s.warnings, "\n")) + c.end
	}
	if t.aligned {
		if s.warned {
			warning += "\n"
		}
		begun := ""
		if times {
			begun = tame(s.started) + " [" + pad(tame(s.took), 7, '>', ' ') + " ms] "
		}
		return warning + color + begun + pad(mod, 10, '>', ' ') + "." + pad(fun, 10, '<', ' ') + " " + pad(result, 7, '<', ' ') + "   Name: " + name + c.end, nil
	}
	begun := ""
	if times {
		begun = " - Started: " + tame(s.started) + " - Duration: " + tame(s.took) + " ms"
	}
	return warning + " " + color + " Name: " + name + " - Function: " + mod + "." + fun + " - Result: " + result + begun + c.end, nil
}

// own returns a line in the operator's form.
func (t Tabular) own(texts []string, s state) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.text)
		switch {
		case p.field < 0:
		case p.field < 6:
			b.WriteString(p.form(texts[p.field]))
		default:
			v, ok := field(s.fields, p.key)
			if !ok {
				return "", errShape
			}
			b.WriteString(p.form(v))
		}
	}
	return b.String(), nil
}

// form formats a value with the width of the field.
func (p *tabularPart) form(v any) string {
	text, align := pyfmt.Str(v), byte('<')
	if s, ok := v.(string); ok && p.field < 6 {
		text = s // keep colours
	} else {
		text = terminal.Text(text)
	}
	number, isNumber := v.(float64)
	switch {
	case isNumber && p.decimal && !p.text1:
		places := 6
		if p.cut >= 0 {
			places = p.cut
		}
		text, align = strconv.FormatFloat(number, 'f', places, 64), '>'
	case !p.text1 && (isNumber || whole(v)):
		align = '>'
	case p.cut >= 0:
		if runes := []rune(text); len(runes) > p.cut {
			text = string(runes[:p.cut])
		}
	}
	if p.align != 0 {
		align = p.align
	}
	return pad(text, p.width, align, p.fill)
}

// pad pads a text on the left (>), on the right (<) or on both sides (^).
func pad(text string, to int, align byte, fill rune) string {
	room := max(to-width(text), 0)
	left := 0
	switch align {
	case '>':
		left = room
	case '^':
		left = room / 2
	}
	f := string(fill)
	return strings.Repeat(f, left) + text + strings.Repeat(f, room-left)
}
