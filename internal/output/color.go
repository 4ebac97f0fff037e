package output

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
)

// palette maps Salt's names of colours to their codes.
var palette = map[string]string{
	"BLACK": "0;30", "DARK_GRAY": "0;1;30",
	"RED": "0;31", "LIGHT_RED": "0;1;31",
	"GREEN": "0;32", "LIGHT_GREEN": "0;1;32",
	"YELLOW": "0;33", "LIGHT_YELLOW": "0;1;33",
	"BLUE": "0;34", "LIGHT_BLUE": "0;1;34",
	"MAGENTA": "0;35", "LIGHT_MAGENTA": "0;1;35",
	"CYAN": "0;36", "LIGHT_CYAN": "0;1;36",
	"LIGHT_GRAY": "0;37", "WHITE": "0;1;37",
	"DEFAULT_COLOR": "0;39", "ENDC": "0;0",
}

// Theme maps some of Salt's names of colours to codes that an operator has chosen.
type Theme map[string]string

// colorCode matches the codes allowed in a colour's sequence.
var colorCode = regexp.MustCompile(`^[0-9;]{1,32}$`)

// ReadTheme reads a file as in Salt's option color_theme: a YAML map of Salt's names of colours
// to terminal codes, such as RED: '0;35'.
func ReadTheme(file string) (Theme, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the theme of colours: %w", err)
	}
	v, err := pyfmt.ReadYAML(b)
	if err != nil {
		return nil, fmt.Errorf("read the theme of colours %s: %w", file, err)
	}
	entries, ok := pyfmt.Pairs(v)
	if !ok {
		return nil, fmt.Errorf("the theme of colours %s is not a mapping such as RED: '0;35'", file)
	}
	theme := Theme{}
	for _, e := range entries {
		name, code := pyfmt.Str(e.Key), pyfmt.Str(e.Val)
		if palette[name] == "" {
			return nil, fmt.Errorf("the theme of colours %s names %q; the names are %s", file, name, strings.Join(slices.Sorted(maps.Keys(palette)), ", "))
		}
		if !colorCode.MatchString(code) {
			return nil, fmt.Errorf("the theme of colours %s: %s is %q, which is no code such as 0;35", file, name, code)
		}
		theme[name] = code
	}
	return theme, nil
}

// Sequences returns the terminal sequences for the colours of the theme.
func (t Theme) Sequences() []string {
	var out []string
	for _, code := range t {
		out = append(out, sequence(code))
	}
	return out
}

func sequence(code string) string { return "\x1b[" + code + "m" }

// colors are the sequences of the colours that outputters use; all are empty if colours are
// off.
type colors struct {
	red, lightRed, green, lightGreen, lightYellow, blue, lightBlue, magenta, lightMagenta, cyan, darkGray, lightGray, white, end string
}

func (o *Options) colors() colors {
	if !o.Color {
		return colors{}
	}
	get := func(name string) string {
		if code, ok := o.Theme[name]; ok {
			return sequence(code)
		}
		return sequence(palette[name])
	}
	return colors{
		red: get("RED"), lightRed: get("LIGHT_RED"), green: get("GREEN"), lightGreen: get("LIGHT_GREEN"), lightYellow: get("LIGHT_YELLOW"),
		blue: get("BLUE"), lightBlue: get("LIGHT_BLUE"), magenta: get("MAGENTA"), lightMagenta: get("LIGHT_MAGENTA"),
		cyan: get("CYAN"), darkGray: get("DARK_GRAY"), lightGray: get("LIGHT_GRAY"), white: get("WHITE"), end: get("ENDC"),
	}
}
