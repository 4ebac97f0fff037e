package output

import (
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/salt/pyfmt"
)

// jsonText returns JSON; "{}" for a value that JSON cannot represent, as in Salt.
func jsonText(v any, o Options) (string, error) {
	form := pyfmt.JSONForm{Lines: true, Indent: "    ", Escape: terminal.Obeyed, Default: true}
	if o.Indent != nil {
		form.Lines, form.Indent = *o.Indent >= 0, strings.Repeat(" ", max(*o.Indent, 0))
	}
	text, err := pyfmt.JSON(v, form)
	if err != nil {
		return "{}", nil //nolint:nilerr // as Salt
	}
	return text, nil
}

// yamlText returns YAML in block style.
func yamlText(v any, o Options) (string, error) {
	form := pyfmt.YAMLForm{Ordered: o.Ordered, Escape: terminal.Obeyed}
	if o.Indent != nil {
		form.Flow, form.Indent = *o.Indent < 0, *o.Indent
	}
	return pyfmt.YAML(v, form), nil
}

// pprint returns the output of Python's pprint.
func pprint(v any, o Options) (string, error) {
	indent := 1
	if o.Indent != nil && *o.Indent >= 0 {
		indent = *o.Indent
	}
	return terminal.Text(pyfmt.Pretty(v, indent)), nil
}

// width returns the number of characters in s.
func width(s string) int { return utf8.RuneCountInString(s) }
