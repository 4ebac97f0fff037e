package pyfmt

import (
	"strings"

	"github.com/momtree/mom/value"
)

// YAMLWord parses one argument of a command line as Salt does: nil, bool, int64, uint64,
// float64, string, []any or *value.Map. A list has to be in brackets and a map in braces.
func YAMLWord(text string) any {
	trimmed := strings.TrimSpace(text)
	switch trimmed {
	case "", "---", "...":
		return text
	case "|", ">", "!":
		return text
	}
	if text == "None" {
		return nil
	}
	if strings.Contains(text, "_") && strings.Trim(trimmed, "0123456789_") == "" {
		return text // 1_000 stays text
	}
	if strings.ContainsAny(text, "\t\r\n") || strings.HasPrefix(trimmed, "!!binary") {
		return text
	}
	v, err := ReadYAML([]byte(text))
	if err != nil {
		return text
	}
	switch v.(type) {
	case *value.Map:
		if !strings.HasPrefix(text, "{") {
			return text
		}
	case []any:
		if !strings.HasPrefix(text, "[") {
			return text
		}
	case string, nil:
		if strings.Contains(text, "#") {
			return text // parsing would drop the comment
		}
	}
	return v
}
