package report

import (
	"fmt"
	"io"

	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/value"
)

// Docs shows results of sys.doc, {function: text}, each function once. Without
// an outputter they are plain text.
func Docs(w io.Writer, results []*value.Map, outputter string, o output.Options) error {
	texts := map[string]any{}
	for _, m := range results {
		m.Range(func(k, v any) bool {
			name, _ := k.(string)
			if text, ok := v.(string); ok && text != "" && texts[name] == nil {
				texts[name] = text
			}
			return true
		})
	}
	if outputter != "" {
		return output.Render(w, outputter, texts, o)
	}
	for _, name := range sorted(texts) {
		text, _ := texts[name].(string)
		if _, err := fmt.Fprintf(w, "%s:\n%s\n\n", terminal.Line(name), terminal.Text(text)); err != nil {
			return fmt.Errorf("write the results: %w", err)
		}
	}
	return nil
}
