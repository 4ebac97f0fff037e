package pyfmt

import (
	"path"
	"slices"
	"testing"
)

// A quoted text is one word for a shell, whatever is in it.
func TestShellQuote(t *testing.T) {
	for s, want := range map[string]string{
		"web-01.example.org": "web-01.example.org",
		"":                   "''",
		"x*":                 "'x*'",
		"a b":                "'a b'",
		"it's":               `'it'"'"'s'`,
		"-a":                 "-a",
		"$(id);é":            "'$(id);é'",
	} {
		if got := ShellQuote(s); got != want {
			t.Errorf("%q is quoted %s, want %s", s, got, want)
		}
		if words, err := SplitCommand(ShellQuote(s)); err != nil || !slices.Equal(words, []string{s}) {
			t.Errorf("%q comes back as %q, %v", s, words, err)
		}
	}
}

// The name of a key means that key alone.
func TestShellKeyName(t *testing.T) {
	for id, want := range map[string]string{"web-01": "web-01", "x*": "'x[*]'", "a?b": "'a[?]b'", "[ab]": "'[[]ab]'"} {
		got := ShellKeyName(id)
		if got != want {
			t.Errorf("%q: %s, want %s", id, got, want)
		}
		words, err := SplitCommand(got)
		if err != nil || len(words) != 1 {
			t.Fatal(words, err)
		}
		if ok, err := path.Match(words[0], id); !ok || err != nil {
			t.Errorf("%s does not mean %s (%v)", words[0], id, err)
		}
		if ok, _ := path.Match(words[0], "xyz"); ok {
			t.Errorf("%s means xyz too", words[0])
		}
	}
}
