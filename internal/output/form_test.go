package output

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

func TestReadTheme_Wrong(t *testing.T) {
	for text, want := range map[string]string{
		"- a":                "is not a mapping such as RED: '0;35'",
		"ORANGE: '0;35'":     `names "ORANGE"; the names are BLACK, BLUE,`,
		"RED: '0;35m\\e[2J'": "which is no code such as 0;35",
		"RED: [":             "read the theme of colours",
		"RED: ''":            "which is no code",
	} {
		file := filepath.Join(t.TempDir(), "theme")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadTheme(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ReadTheme(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a theme that is not there was read")
	}
}

func TestParseTabular_Wrong(t *testing.T) {
	for text, want := range map[string]string{
		"a{":                              "character 2 of \"a{\": { is not closed",
		"a}":                              "} closes nothing",
		"{7}":                             `"7" is no field`,
		"{name}":                          `"name" is no field`,
		"{6}":                             "takes a name in brackets",
		"{1[x]}":                          "takes a name in brackets",
		"{6[x}":                           "takes a name in brackets",
		"{1:>99999}":                      "is not a width up to",
		"{1:>x}":                          "is not a width up to",
		"{1:.x}":                          "is not a number of places",
		"{1!r}":                           "is no field",
		strings.Repeat("x", maxTabular+1): "bytes; at most",
	} {
		if _, err := ParseTabular(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Forms in Python's syntax, filled like in Python.
func TestParseTabular(t *testing.T) {
	s := state{parts: []string{"file", "id", "name", "managed"}, fields: []pyfmt.Pair{{Key: "duration", Val: 12.5}, {Key: "n", Val: int64(7)}, {Key: "c", Val: "text"}}, result: true}
	for text, want := range map[string]string{
		"{1}":                         "name",
		"{{{1}}}":                     "{name}",
		"{2}.{3}|{4:>7}|":             "file.managed|  Clean|",
		"{1:*^8}|{1:-<6}|{1:.2}":      "**name**|name--|na",
		"{6[duration]:8}|":            "    12.5|",
		"{6[duration]!s:8}|":          "12.5    |",
		"{6[duration]:8.2f}|{6[n]:4}": "   12.50|   7",
		"{6[c]:ä>6s}":                 "äätext",
	} {
		form, err := ParseTabular(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := form.line(colors{}, "", s, true); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", text, got, err, want)
		}
	}
	form, err := ParseTabular("{6[nosuch]}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := form.line(colors{}, "", s, true); err != errShape {
		t.Errorf("a field that the state does not have: %v", err)
	}
}

func FuzzParseTabular(f *testing.F) {
	for _, s := range []string{"{0}{2}.{3} [{4:^9}]{5}", "{6[duration]!s:>7}", "{{}}", "{1:ä^3.2f}", "{", "}"} {
		f.Add(s)
	}
	s := state{parts: []string{"a", "b", "c", "d"}, fields: []pyfmt.Pair{{Key: "duration", Val: 1.5}}, result: true}
	f.Fuzz(func(t *testing.T, text string) {
		form, err := ParseTabular(text)
		if err != nil {
			return
		}
		if line, err := form.line(colors{}, "", s, true); err == nil && len(line) > len(text)*(maxTabularWidth+8)*4 {
			t.Errorf("%q gives %d bytes", text, len(line))
		}
	})
}

// Warnings with any text end, in lines that fit.
func FuzzWrap(f *testing.F) {
	for _, s := range []string{"a b", "state-of-the-art em--dash", "x\ty\n\nz", strings.Repeat("-", 200), " ", "ünï-code"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for l := range strings.SplitSeq(wrap(text, 40, "    "), "\n") {
			if width(l) > 40 {
				t.Errorf("%q: %d characters", l, width(l))
			}
		}
	})
}

// Data for which Salt's outputters fail, or show nothing, are shown by nested.
func TestOtherDataGoToNested(t *testing.T) {
	for name, v := range map[string]any{
		"highstate": wire.NewMap("m1", wire.NewMap("a", "value")),
		"table":     wire.NewMap("m1", []any{[]any{int64(1), "value"}}),
		"profile":   wire.NewMap("m1", "value"),
	} {
		got, err := Text(name, v, Options{})
		want, _ := Text("nested", v, Options{})
		if err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", name, got, err, want)
		}
	}
}
