package bus

import "strings"

// Tag joins the parts of an event tag with "/", leaving out empty ones, as
// Salt's tagify does.
func Tag(parts ...string) string {
	kept := make([]string, 0, len(parts))
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "/")
}
