package output

import (
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/wire"
)

// hostile are texts by which a minion could control the terminal of whoever looks at its
// result: titles, cleared screens, moved cursors, overwritten lines, changed directions.
var hostile = []string{
	"\x1b]0;PWNED\x07", "\x1b[2J\x1b[1;1H", "\u009b2J", "\x9b2J", "x\b\b\bfine", "over\rwritten", "\x1bP+q\x1b\\", "\u202eturned", "\x00\x0b\x0c\x7f", "\x1b[8mhidden",
}

// No outputter, with or without colours, writes a character that a terminal would execute: not
// in values, keys, ids or lists, at any place. A name stays on its line, so that a key cannot
// imitate the result of another minion.
func TestText_NothingSteersTheTerminal(t *testing.T) {
	for _, name := range append(Names(), "text", "grains", "") {
		for _, bad := range hostile {
			forged := bad + "\nweb-02:\n    True"
			for shape, v := range map[string]any{
				"the value":             wire.NewMap("web-01", bad),
				"bare":                  bad,
				"a list":                wire.NewMap("web-01", []any{bad, []any{bad}, wire.NewMap("k", bad)}),
				"a key":                 wire.NewMap("web-01", wire.NewMap(forged, wire.NewMap(forged, int64(1)))),
				"keys of several kinds": wire.NewMap("web-01", wire.NewMap(forged, "x", int64(3), bad)),
				"states": wire.NewMap("web-01", wire.NewMap("file_|-"+bad+"_|-"+forged+"_|-"+bad, wire.NewMap("result", nil, "comment", forged, "changes", wire.NewMap(forged, bad),
					"start_time", bad, "duration", bad, "data", bad, "warnings", []any{bad}))),
				"no states": wire.NewMap("web-01", []any{bad, forged}),
				"an id":     wire.NewMap(forged, true),
				"bytes":     wire.NewMap("web-01", []byte(bad)),
				"key ids":   wire.NewMap("minions", []any{forged}, "minions_pre", wire.NewMap(forged, bad)),
			} {
				for _, color := range []bool{false, true} {
					text, err := Text(name, v, Options{Color: color})
					if err != nil {
						t.Fatal(err)
					}
					if got := withoutColors(text); strings.ContainsFunc(got, terminal.Obeyed) {
						t.Errorf("%q, %s, colours %v: %q", name, shape, color, text)
					}
					if name == "nested" && slices.Contains(strings.Split(withoutColors(text), "\n"), "web-02:") {
						t.Errorf("%s forges the line of another: %q", shape, text)
					}
				}
			}
		}
	}
}

// withoutColors removes the colours of this package.
func withoutColors(s string) string {
	o := Options{Color: true}
	c := o.colors()
	return strings.NewReplacer(c.red, "", c.lightRed, "", c.green, "", c.lightGreen, "", c.lightYellow, "", c.blue, "", c.lightBlue, "",
		c.magenta, "", c.lightMagenta, "", c.cyan, "", c.darkGray, "", c.lightGray, "", c.white, "", c.end, "").Replace(s)
}

// A minion may choose how its result is shown, but cannot hide it or make it look like the
// master's.
func TestOffered(t *testing.T) {
	for name, want := range map[string]bool{
		"nested": true, "txt": true, "highstate": true, "json": false,
		"quiet": false, "newline_values_only": false, "no_return": false, "key": false, "nosuch": false, "": false,
	} {
		if got := Offered(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	for _, name := range offered {
		text, err := Text(name, wire.NewMap("web-01", "the result"), Options{})
		if err != nil || !strings.Contains(text, "web-01") || !strings.Contains(text, "the result") {
			t.Errorf("%s hides whose result it is, or the result: %v %q", name, err, text)
		}
	}
}

func FuzzText_NothingSteersTheTerminal(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, bad string) {
		for _, name := range Names() {
			for _, v := range []any{bad, wire.NewMap("id", bad), wire.NewMap("id", wire.NewMap(bad, []any{bad}))} {
				if text, err := Text(name, v, Options{}); err == nil && strings.ContainsFunc(text, terminal.Obeyed) {
					t.Errorf("%s: %q", name, text)
				}
			}
		}
	})
}
