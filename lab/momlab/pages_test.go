package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// pages are those about momlab; other pages name its flags on lines that call it alone.
var pages = []string{"benchmarks.md", "chaos.md", "scale.md", "simulator.md", "swarm.md"}

// ofMom are flags of mom and of other programs on those pages.
var ofMom = []string{"api", "async", "queue", "show-jid", "undo"}

var (
	flagName = regexp.MustCompile("--([a-z][a-z0-9-]+)")
	ofLab    = regexp.MustCompile(`(?m)^.*(?:momlab|ARGS=).*$`)
)

// Pages name no flag that momlab does not have.
func TestPagesNameFlags(t *testing.T) {
	known := []string{"help"}
	all := root().Commands()
	for len(all) > 0 {
		c := all[0]
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		all = append(all[1:], c.Commands()...)
	}
	docs := filepath.Join("..", "..", "docs")
	files, err := filepath.Glob(filepath.Join(docs, "*", "*.md"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d pages: %v", len(all), err)
	}
	for _, page := range append(files, filepath.Join(docs, "..", "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		parts := [][]byte{text}
		if !slices.Contains(pages, filepath.Base(page)) {
			parts = ofLab.FindAll(text, -1)
		}
		for _, part := range parts {
			for _, m := range flagName.FindAllSubmatch(part, -1) {
				if !slices.Contains(known, string(m[1])) && !slices.Contains(ofMom, string(m[1])) {
					t.Errorf("%s names --%s, which no command of momlab has", page, m[1])
				}
			}
		}
	}
}
