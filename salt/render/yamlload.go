package render

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/salt/pyfmt"
)

var unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced`)

// loadYAML parses a document as Salt's renderer yaml does.
func loadYAML(r *jinja.Run, text string, values int) (any, error) {
	r.Alloc(yamlBytes(text))
	//mutant:render-bombs
	v, err := pyfmt.ReadYAMLBig(r.Context(), []byte(text), values)
	r.Work(32 * len(text))
	if err == nil {
		return v, nil
	}
	if r.Context().Err() != nil {
		r.Look()
	}
	var f *pyfmt.YAMLFault
	if !errors.As(err, &f) {
		return nil, &Error{Text: err.Error(), Err: err}
	}
	if f.Salt != "" {
		return nil, &Error{Text: f.Salt, Err: err}
	}
	problem, _, _ := strings.Cut(strings.TrimPrefix(f.Text, "invalid YAML: "), " (indent with spaces")
	if m := unknownAnchor.FindStringSubmatch(problem); m != nil {
		if at := strings.Index(text, "*"+m[1]); at >= 0 {
			line := strings.Count(text[:at], "\n") + 1
			col := at - strings.LastIndexByte(text[:at], '\n')
			return nil, &Error{Text: fmt.Sprintf("found undefined alias\n  in \"<unicode string>\", line %d, column %d", line, col), Err: err}
		}
	}
	if f.Key != "" {
		problem = f.Key + ": " + problem
	}
	return nil, &Error{Text: problem, Line: f.Line, Lines: around(text, f.Line), Err: err}
}

// Memory of a document while it is parsed: for a node with its value, and for a byte of
// text.
const (
	yamlNodeBytes = 512
	yamlTextBytes = 4
)

// yamlBytes returns the approximate memory for parsing a document.
func yamlBytes(text string) int {
	nodes := 1
	for i := range len(text) {
		switch text[i] {
		case '\n', ',', ':', '[', '{', '?', '*', '&':
			nodes++
		case '-':
			if i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\n') {
				nodes++
			}
		}
	}
	return nodes*yamlNodeBytes + len(text)*yamlTextBytes
}
