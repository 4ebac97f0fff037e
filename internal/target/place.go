package target

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
)

// place is a word of a compound target about the tree: B@NODE for minions behind a node, and
// D@N for minions at a depth. Salt does not know these letters and treats such a word as a
// glob, and so does [Parse]: the master where a job starts replaces it by ids.
var place = regexp.MustCompile(`^(?s:([BD])@(.+))$`)

// HasPlaces reports whether a target has words about the tree.
func HasPlaces(tgt any, kind string) bool {
	if kind != "compound" && kind != "compound_pillar_exact" {
		return false
	}
	words, err := compoundWords(tgt)
	return err == nil && slices.ContainsFunc(words, place.MatchString)
}

// ExpandPlaces replaces the words of a compound target about the tree by lists of ids, which
// every peer understands. where returns the ids for a letter and the text after the @. A target
// without such words is returned unchanged.
func ExpandPlaces(tgt any, kind string, where func(letter, pattern string) ([]string, error)) (any, error) {
	if !HasPlaces(tgt, kind) {
		return tgt, nil
	}
	words, err := compoundWords(tgt)
	if err != nil {
		return nil, err
	}
	words = slices.Clone(words)
	for i, w := range words {
		m := place.FindStringSubmatch(w)
		if m == nil {
			continue
		}
		ids, err := where(m[1], m[2])
		if err != nil {
			return nil, fmt.Errorf("%w: word %d: %s: %w", ErrSyntax, i+1, w, err)
		}
		if bad := slices.IndexFunc(ids, func(id string) bool { return strings.Contains(id, ",") }); bad >= 0 {
			return nil, fmt.Errorf("%w: word %d: %s means %q, which no list can hold; name the minions themselves", ErrSyntax, i+1, w, ids[bad])
		}
		if words[i] = "L@" + strings.Join(ids, ","); len(ids) == 0 {
			words[i] = "L@," // matches nobody
		}
	}
	return asTarget(words), nil
}

// asTarget returns words as a string, or as a list if the string would be split differently.
func asTarget(words []string) any {
	if !slices.ContainsFunc(words, func(w string) bool { return w == "" || strings.ContainsFunc(w, pyfmt.IsSpace) }) {
		return strings.Join(words, " ")
	}
	list := make([]any, len(words))
	for i, w := range words {
		list[i] = w
	}
	return list
}
