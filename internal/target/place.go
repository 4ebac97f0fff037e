package target

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
)

// place is a word of a compound target that speaks of the tree: B@NODE, minions behind a
// node, and D@N, minions at a depth. Salt has no such letters and takes the word for a
// glob, and so does [Parse]: the master where a job starts puts ids in its place.
var place = regexp.MustCompile(`^(?s:([BD])@(.+))$`)

// HasPlaces tells whether a target speaks of the tree.
func HasPlaces(tgt any, kind string) bool {
	if kind != "compound" && kind != "compound_pillar_exact" {
		return false
	}
	words, err := compoundWords(tgt)
	return err == nil && slices.ContainsFunc(words, place.MatchString)
}

// ExpandPlaces replaces the words of a compound target that speak of the tree by lists of
// the ids they mean, which every peer understands. where gives these, by the letter and
// what stands behind the @. A target without such words stays as it is.
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
			words[i] = "L@," // nobody
		}
	}
	return asTarget(words), nil
}

// asTarget gives words as a text, or as a list where a text would fall into other words.
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
