package target

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// engineOf maps types of targets to the engines of compound words.
var engineOf = map[string]string{
	"pcre": "E", "grain": "G", "grain_pcre": "P", "pillar": "I", "pillar_pcre": "J", "pillar_exact": "I", "ipcidr": "S",
}

// NarrowTo returns a compound target that matches the minions in ids that match tgt. Each
// minion evaluates tgt against its own data, but no minion outside ids matches. The result is a
// list of words, so that no word in tgt can close the parenthesis around it.
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

// ListedIn returns the ids in the first word of a target of [NarrowTo].
func ListedIn(word string) []string {
	rest, ok := strings.CutPrefix(word, "L@")
	if !ok {
		return nil
	}
	return strings.Split(rest, ",")
}
