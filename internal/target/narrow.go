package target

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// engineOf are the engines of compound words, by the type of a target.
var engineOf = map[string]string{
	"pcre": "E", "grain": "G", "grain_pcre": "P", "pillar": "I", "pillar_pcre": "J", "pillar_exact": "I", "ipcidr": "S",
}

// NarrowTo narrows a target to ids, as a compound target: each minion compares it with its own
// data, and whatever it makes of it, nobody else is meant. The words stand apart in a list,
// so that nothing in them can close the parenthesis around the target.
func NarrowTo(ids []string, tgt any, kind, delimiter string) (words []any, newKind string, err error) {
	if bad := slices.IndexFunc(ids, func(id string) bool { return strings.Contains(id, ",") }); bad >= 0 {
		return nil, "", fmt.Errorf("%w: a list cannot hold %q", ErrSyntax, ids[bad])
	}
	newKind = "compound"
	if kind == "pillar_exact" || kind == "compound_pillar_exact" {
		newKind = "compound_pillar_exact"
	}
	words = []any{"L@" + strings.Join(ids, ","), "and", "("}
	switch kind {
	case "compound", "compound_pillar_exact":
		own, err := compoundWords(tgt)
		if err != nil {
			return nil, "", fmt.Errorf("%w: %w", ErrSyntax, err)
		}
		for _, w := range own {
			words = append(words, w)
		}
	default:
		letter, ok := engineOf[kind]
		s, isText := text(tgt)
		if delimiter == ":" {
			delimiter = ""
		}
		if !ok || !isText || utf8.RuneCountInString(delimiter) > 1 {
			return nil, "", fmt.Errorf("%w: a %s target with the delimiter %q is no word of a compound target", ErrSyntax, kind, delimiter)
		}
		words = append(words, letter+delimiter+"@"+s)
	}
	return append(words, ")"), newKind, nil
}

// ListedIn gives the ids of the word by which a target of [NarrowTo] begins.
func ListedIn(word string) []string {
	rest, ok := strings.CutPrefix(word, "L@")
	if !ok {
		return nil
	}
	return strings.Split(rest, ",")
}
