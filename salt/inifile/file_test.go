package inifile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/value"
)

// TestSet_Hostile rejects names and values that would be read back as other lines.
func TestSet_Hostile(t *testing.T) {
	for _, wanted := range []*value.Map{
		value.NewMap("a\nb", "c"),
		value.NewMap("[a]", "c"),
		value.NewMap("#a", "c"),
		value.NewMap("", "c"),
		value.NewMap("a", "b\n[root]"),
		value.NewMap("a", "b\x00"),
		value.NewMap("s", value.NewMap("a\nb", "c")),
		value.NewMap("s]\n[t", value.NewMap("a", "c")),
		value.NewMap("s", value.NewMap("t", value.NewMap("a", "b"))),
	} {
		f := Read("[s]\nx = 1\n", "=")
		if _, err := f.Set(wanted); err == nil {
			t.Errorf("%v is taken: %q", value.Plain(wanted), f.Text())
		}
	}
}

// TestSet_Comments puts an option in the place of its commented form, and keeps the others.
func TestSet_Comments(t *testing.T) {
	f := Read("a=1\n#b = 2\n;c = 3\nd = 4\n", "=")
	changes, err := f.Set(value.NewMap("b", "x", "c", "y"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"b": map[string]any{"before": nil, "after": "x"}, "c": map[string]any{"before": nil, "after": "y"}}
	if d := cmp.Diff(want, value.Plain(changes)); d != "" {
		t.Error(d)
	}
	if want := "a = 1\nb = x\n;c = 3\nd = 4\nc = y\n"; f.Text() != want {
		t.Errorf("%q, want %q", f.Text(), want)
	}
}

// FuzzRead sets an option in any file, and reads it back.
func FuzzRead(f *testing.F) {
	f.Add("; head\ntop = 1\n[main]\nkey=value\n  more\n#x = 1\n[main]\ny", "=")
	f.Add("[s]\nwanted = 1\n[s]\n#wanted=2", ":")
	f.Fuzz(func(t *testing.T, text, separator string) {
		if separator == "" || strings.ContainsAny(separator, "\n wantedhere") || len(text) > 1<<16 {
			return
		}
		file := Read(text, separator)
		if _, err := file.Set(value.NewMap("wanted", "there")); err != nil {
			return
		}
		if v, _ := file.Values().Get("wanted"); v != "there" {
			t.Fatalf("%q is not set: %v", text, v)
		}
		if len(file.Text()) > 3*len(text)+len(separator)*(1+strings.Count(text, separator))+100 {
			t.Fatalf("%d bytes became %d", len(text), len(file.Text()))
		}
	})
}

// The form is that of Salt 3006.27 with no_spaces.
func TestText_NoSpaces(t *testing.T) {
	for sep, want := range map[string]string{"=": "a=1\n\n[s]\nb=2\n", ":": "a:1\n\n[s]\nb:2\n", " ": "a 1\n\n[s]\nb 2\n"} {
		f := Read("a "+sep+" 1\n[s]\nb"+sep+"2\n", sep)
		f.NoSpaces = true
		if got := f.Text(); got != want {
			t.Errorf("%q: %q, want %q", sep, got, want)
		}
	}
}
