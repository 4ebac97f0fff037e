package target

import (
	"fmt"
	"unicode"

	"github.com/momtree/mom/internal/wire"
)

// Clean rejects control characters in a target. No id has them, and readers of targets have
// treated them as blanks or ignored them. Tabs and line breaks are allowed between the words of
// a compound target that is a string. The error names the place.
func Clean(tgt any, kind string) error {
	if s, ok := text(tgt); ok {
		return clean(s, "", kind == "compound" || kind == "compound_pillar_exact")
	}
	list, _ := wire.AsList(tgt)
	for i, e := range list {
		if s, ok := text(e); ok {
			if err := clean(s, fmt.Sprintf(" of entry %d", i+1), false); err != nil {
				return err
			}
		}
	}
	return nil
}

func clean(s, where string, breaks bool) error {
	n := 0
	for _, r := range s {
		n++
		if unicode.IsControl(r) && !(breaks && (r == '\t' || r == '\n' || r == '\r')) {
			return fmt.Errorf("%w: character %d%s is the control character %U", ErrSyntax, n, where, r)
		}
	}
	return nil
}
