package options

import (
	"slices"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	var s Set
	var out, file string
	var static bool
	s.Text(&out, "--out --output", "OUTPUT", "the form")
	s.Values("--out", "json", "yaml", "yaml_safe")
	s.Text(&file, "--out-file", "FILE", "a file")
	s.Bool(&static, "-s --static", "all at once")
	for line, want := range map[string]string{
		"--out|":            "json yaml yaml_safe",
		"--output|ya":       "yaml yaml_safe",
		"--output=j":        "json",
		"x --out=no":        "",
		"--out-file|":       "free",
		"--out-file=x":      "free",
		"--o":               "--out --out-file --output",
		"-s|-":              "--out --out-file --output --static -s",
		"--static|":         "",
		"--|--o":            "",
		"--nosuch=":         "",
		"web-01|test.ping|": "",
	} {
		words := strings.Split(line, "|")
		found, free := s.Complete(words[:len(words)-1], words[len(words)-1])
		if free {
			found = append(found, "free")
		}
		if !slices.Equal(found, strings.Fields(want)) {
			t.Errorf("%q: %q, want %q", line, found, want)
		}
	}
}
