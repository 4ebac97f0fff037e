package demo

import (
	"strings"
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// TestDrawn: a tree that cannot be grown is refused before anything is started, with
// what is wrong and a tree that is right.
func TestDrawn(t *testing.T) {
	for text, want := range map[string]string{
		Tree:                       "",
		"top: a b":                 "",
		"top: a\n  n: b\n    m: c": "",
		"  top: a":                 "",
		"top":                      "no minion",
		"top:":                     "no minion",
		"top a":                    "minions stand behind a colon",
		"a b: c":                   "cannot be the name of a node",
		"top: a a":                 "a stands there twice",
		"top: a\n  top: b":         "top stands there twice",
		"top: a\nb: c":             "a tree has one top",
		"top: a\n   n: b":          "two blanks",
		"top: a\n      n: b":       "n stands in by 6 blanks; below the node above it that would be 2",
		"top: a\n\tn: b":           "two blanks",
		"../x: a":                  "cannot be the name of a node",
		"top: a/b":                 "cannot be the name of a minion",
		"top: -x":                  "cannot be the name of a minion",
		"":                         "at least its top",
		"\t":                       "at least its top",
	} {
		_, err := drawn(text)
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Draw it so") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestDemo_WithoutNodes: a top with minions and nothing below is a tree as well.
func TestDemo_WithoutNodes(t *testing.T) {
	out, err := momtest.Process(t, "mom", "demo", "--tree", "top: a b").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "2 expected, 1 returned, 0 failed, 1 missing") {
		t.Errorf("%v\n%s", err, out)
	}
}
