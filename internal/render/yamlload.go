package render

import (
	"errors"
	"strings"

	"github.com/momtree/mom/internal/yaml11"
)

// loadYAML reads a document as Salt's renderer yaml does.
func loadYAML(text string, values int) (any, error) {
	v, err := yaml11.ReadMax([]byte(text), values)
	if err == nil {
		return v, nil
	}
	var f *yaml11.Fault
	if !errors.As(err, &f) {
		return nil, &Error{Text: err.Error(), Err: err}
	}
	if f.Salt != "" {
		return nil, &Error{Text: f.Salt, Err: err}
	}
	problem := strings.TrimPrefix(f.Text, "invalid YAML: ")
	if f.Key != "" {
		problem = f.Key + ": " + problem
	}
	return nil, &Error{Text: problem, Line: f.Line, Lines: around(text, f.Line), Err: err}
}
