package output

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// Options of Render.
type Options struct {
	// Color writes ANSI colours.
	Color bool
	// Theme are colours in the place of Salt's. Default none.
	Theme Theme
	// Indent is what --out-indent gives, nil when it was not given: the
	// spaces per level of json (default 4) and yaml (default 2); a negative
	// number means one line.
	Indent *int
	// Retcode colours the names of what failed red in nested.
	Retcode int
	// States says how highstate shows results.
	States States
	// Ordered keeps the order of maps in nested and yaml, where Salt prints an OrderedDict; else
	// their keys are sorted.
	Ordered bool
	// Table says how table and profile draw.
	Table TableForm
}

// ErrUnknown is returned for the name of no outputter, after nested was used
// in its place.
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

// Names are the outputters Render knows.
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

// offered are the outputters that a minion may choose for its own result when the
// user chose none: those that show all of it under the minion's name. Not among them
// are quiet, which hides it, newline_values_only, which hides whose it is, and
// no_return and key, which say something of minions that only the master can know, and
// json, which shows nothing of a map with a name that is no text, and table and profile,
// which leave out what is no row.
var offered = []string{"nested", "highstate", "txt", "text", "raw", "pprint", "yaml", "grains"}

// Offered says whether a minion may choose the outputter of this name.
func Offered(name string) bool { return slices.Contains(offered, name) }

// Known says whether Render has an outputter of this name.
func Known(name string) bool { return outputters[name] != nil || name == "" }

// Render writes v, a value as the wire decodes it, with the named outputter
// ("" meaning nested) and a line end, or nothing when there is nothing to
// say. Data that an outputter cannot print go to nested.
func Render(w io.Writer, name string, v any, o Options) error {
	text, err := Text(name, v, o)
	if text != "" {
		if _, werr := io.WriteString(w, text+"\n"); werr != nil {
			return fmt.Errorf("write output: %w", werr)
		}
	}
	return err
}

// Text is what Render writes, without the last line end.
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
