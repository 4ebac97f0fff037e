package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	for line, want := range map[string][]string{
		"// Told is what was told of a node of before.": {"told", "told", "of before"},
		"func (t *Tree) tellAll(isTold bool) {":         {"tell", "told"},
		"a name that is no folder, and there is none.":  {"there is none.", "is no folder"},
		"has a minion asked whether it works":           {"has a minion asked"},
		"the year, the ears of bears":                   {"ears"},
		"Stellar results reported to the parent":        nil,
		"Pending int `json:\"owed\"` // owed":           {"owed"},
		"the field `untold`, but not `tell`":            {"tell"},
		"nothing is none of ours":                       {"is none of"},
		"it has no address":                             nil,
	} {
		var got []string
		for _, f := range find(line) {
			got = append(got, f.text)
		}
		if !cmp.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestFind_Lines(t *testing.T) {
	if got := find("a\n\ntold\n"); len(got) != 1 || got[0].line != 3 {
		t.Errorf("%+v", got)
	}
}
