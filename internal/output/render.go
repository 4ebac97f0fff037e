package output

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// Options are the options of Render.
type Options struct {
	// Color writes ANSI colours.
	Color bool
	// Theme replaces some of Salt's colours. Default none.
	Theme Theme
	// Indent is the value of --out-indent, nil if it was not given: the spaces per level of
	// json (default 4) and yaml (default 2); a negative number means one line.
	Indent *int
	// Retcode makes nested show the names of failed results in red.
	Retcode int
	// States configures highstate.
	States States
	// Ordered keeps the order of maps in nested and yaml, where Salt prints an OrderedDict;
	// otherwise their keys are sorted.
	Ordered bool
	// Table configures table and profile.
	Table TableForm
}

// ErrUnknown is returned for the name of an unknown outputter, after nested was used instead.
var ErrUnknown = errors.New("invalid outputter")

// errShape makes Render use nested: the outputter cannot print such data.
var errShape = errors.New("data of another shape")

var outputters = map[string]func(v any, o Options) (string, error){
	"nested":              nested,
	"json":                jsonText,
	"yaml":                yamlText,
	"txt":                 txt,
	"text":                txt,
	"raw":                 raw,
	"quiet":               quiet,
	"key":                 keys,
	"no_return":           noReturn,
	"newline_values_only": newlineValuesOnly,
	//mutant:highstate-output
	"highstate": highstate,
	"table":     table,
	"profile":   profile,
	"pprint":    pprint,
	// Minions of old releases ask for it.
	"grains": nested,
}

// Names returns the outputters that Render knows.
func Names() []string {
	var out []string
	for n := range outputters {
		if n != "text" && n != "grains" {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// offered are the outputters that a minion may choose for its own result if the user chose
// none: those that show all of it under the minion's name. Excluded are quiet, which hides it;
// newline_values_only, which hides whose it is; no_return and key, which claim facts about
// minions that only the master knows; json, which shows nothing of a map with a name that is
// not a string; and table and profile, which omit data that are not rows.
var offered = []string{"nested", "highstate", "txt", "text", "raw", "pprint", "yaml", "grains"}

// Offered reports whether a minion may choose the outputter name.
func Offered(name string) bool { return slices.Contains(offered, name) }

// Known reports whether Render has an outputter name.
func Known(name string) bool { return outputters[name] != nil || name == "" }

// Render writes v, a value as decoded by package wire, with the outputter name ("" means
// nested) and a line end, or nothing if there is no output. Data that an outputter cannot print
// are printed by nested.
func Render(w io.Writer, name string, v any, o Options) error {
	text, err := Text(name, v, o)
	if text != "" {
		if _, werr := io.WriteString(w, text+"\n"); werr != nil {
			return fmt.Errorf("write output: %w", werr)
		}
	}
	return err
}

// Text returns the output of Render, without the last line end.
func Text(name string, v any, o Options) (string, error) {
	var unknown error
	if !Known(name) {
		unknown = fmt.Errorf("%w %s specified, fall back to nested", ErrUnknown, name)
		name = "nested"
	}
	if name == "" {
		name = "nested"
	}
	text, err := outputters[name](v, o)
	if errors.Is(err, errShape) {
		text, err = nested(v, o)
	}
	if err != nil {
		return "", fmt.Errorf("print as %s: %w", name, err)
	}
	return strings.TrimRightFunc(text, unicode.IsSpace), unknown
}
