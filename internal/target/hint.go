package target

import (
	"fmt"
	"strings"
)

// Hint returns a warning about a compound target that Salt's grammar parses in a way that is
// hardly intended: a parenthesis without blanks around it is part of the word, which then
// matches as an id. It returns "" for any other target.
func Hint(tgt any, kind string) string {
	if kind != "compound" && kind != "compound_pillar_exact" {
		return ""
	}
	words, err := compoundWords(tgt)
	if err != nil {
		return ""
	}
	for i, w := range words {
		if eng, _, _ := splitWord(strings.TrimLeft(w, "(")); eng == "" || w[0] == '(' {
			if apart := apart(w); apart != w {
				return fmt.Sprintf("word %d of the target, %q, is read as the id of a minion: write parentheses with blanks around them, as in %q", i+1, w, apart)
			}
		}
	}
	return ""
}

// apart separates a word from the parentheses at its ends.
func apart(w string) string {
	open := len(w) - len(strings.TrimLeft(w, "("))
	name := w[open:]
	for strings.HasPrefix(name, "not(") {
		name = "not ( " + name[len("not("):]
	}
	closed := len(name) - len(strings.TrimRight(name, ")"))
	name = name[:len(name)-closed]
	if name == "" {
		return strings.TrimSpace(strings.Repeat("( ", open) + strings.Repeat(") ", closed))
	}
	return strings.Repeat("( ", open) + name + strings.Repeat(" )", closed)
}
