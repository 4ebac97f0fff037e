package terminal_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/momtree/mom/internal/terminal"
)

func TestText(t *testing.T) {
	for in, want := range map[string][2]string{ // Text, Line
		"web-01":             {"web-01", "web-01"},
		"ä €":                {"ä €", "ä €"},
		"a\tb\nc":            {"a\tb\nc", "a\tb?c"},
		"\x1b]0;title\x07":   {"?]0;title?", "?]0;title?"},
		"del\b\b\x7f":        {"del???", "del???"},
		"C1 \u009b2J":        {"C1 ?2J", "C1 ?2J"},
		"raw C1 \x9b2J":      {"raw C1 \ufffd2J", "raw C1 \ufffd2J"},
		"\u202eturned":       {"?turned", "?turned"},
		"a\rb":               {"a?b", "a?b"},
		"no\u2028web-01: ok": {"no\u2028web-01: ok", "no?web-01: ok"},
	} {
		if got := terminal.Text(in); got != want[0] {
			t.Errorf("Text(%q) = %q, want %q", in, got, want[0])
		}
		if got := terminal.Line(in); got != want[1] {
			t.Errorf("Line(%q) = %q, want %q", in, got, want[1])
		}
	}
}

func TestGuard(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext":               "plain\n\ttext",
		"\x1b[0;32mgreen\x1b[0;0m":    "\x1b[0;32mgreen\x1b[0;0m",
		"\x1b[0;1;31mred\x1b[0m":      "\x1b[0;1;31mred\x1b[0m",
		"\x1b[33myellow":              "\x1b[33myellow",
		"\x1b[8mhidden":               "?[8mhidden",
		"\x1b[0;30mblack on black":    "?[0;30mblack on black",
		"\x1b[0;1;30mgrey\x1b[0;37m.": "\x1b[0;1;30mgrey\x1b[0;37m.",
		"\x1b[0;38mno\x1b[1;38m":      "?[0;38mno?[1;38m",
		"\x1b[2J\x1b[H":               "?[2J?[H",
		"\x1b]0;title\x07":            "?]0;title?",
		"\x1bP+q\x1b\\":               "?P+q?\\",
		"\x1b[mnothing":               "?[mnothing",
		"\x1b":                        "?",
		"\x1b[0;32":                   "?[0;32",
		"\u009b31m ä \x9b31m\u202e":   "?31m ä \ufffd31m?",
		"overwrites\r  not\b\b\x00\v": "overwrites?  not????",
		"cut \xe2\x82":                "cut \ufffd\ufffd",
	} {
		for _, step := range []int{1, 3, len(in)} { // in one piece and in several, which split characters
			if step != len(in) && strings.Contains(want, "\x1b") {
				continue // a colour is written at once
			}
			var b bytes.Buffer
			g := terminal.NewGuard(&b)
			for rest := in; rest != ""; {
				n := min(step, len(rest))
				if m, err := g.Write([]byte(rest[:n])); m != n || err != nil {
					t.Fatal(m, err)
				}
				rest = rest[n:]
			}
			if err := g.Flush(); err != nil {
				t.Fatal(err)
			}
			if b.String() != want {
				t.Errorf("%q in steps of %d: %q, want %q", in, step, b.String(), want)
			}
		}
	}
}

// A guard passes an operator's own colours once allowed, and no others.
func TestAllow(t *testing.T) {
	var b bytes.Buffer
	g := terminal.NewGuard(&b)
	terminal.Allow(g, "\x1b[38;5;22m")
	terminal.Allow(&b, "\x1b[2J") // not a guard
	if _, err := g.Write([]byte("\x1b[38;5;22mgreen\x1b[38;5;23m\x1b[2J")); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "\x1b[38;5;22mgreen?[38;5;23m?[2J"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

type broken struct{}

var errClosed = errors.New("the pipe is closed")

func (broken) Write([]byte) (int, error) { return 0, errClosed }

func TestGuard_ReturnsTheWriteError(t *testing.T) {
	if _, err := terminal.NewGuard(broken{}).Write([]byte("x")); !errors.Is(err, errClosed) {
		t.Error(err)
	}
}

func TestFile(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, c := range []struct {
		w    any
		want *os.File
	}{{null, null}, {terminal.NewGuard(null), null}, {&bytes.Buffer{}, nil}, {terminal.NewGuard(&bytes.Buffer{}), nil}, {nil, nil}} {
		if got := terminal.File(c.w); got != c.want {
			t.Errorf("%T: %v", c.w, got)
		}
		if terminal.Is(c.w) {
			t.Errorf("%T is taken for a terminal", c.w)
		}
	}
}

// FuzzGuard checks that no sequence that a terminal executes is written except colours, that
// harmless text is unchanged, and that the split into writes has no effect.
func FuzzGuard(f *testing.F) {
	f.Add([]byte("a\x1b[0;31mb\x9b\u009b\n"), 2)
	f.Add([]byte("\x1b[0;0m\x1b[0;36m"), 100)
	f.Fuzz(func(t *testing.T, p []byte, at int) {
		var whole bytes.Buffer
		g := terminal.NewGuard(&whole)
		if _, err := g.Write(p); err != nil {
			t.Fatal(err)
		}
		if err := g.Flush(); err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(whole.Bytes()) {
			t.Fatalf("%q", whole.Bytes())
		}
		for i, part := range strings.Split(whole.String(), "\x1b") {
			if i > 0 && !strings.HasPrefix(part, "[") {
				t.Fatalf("%q", whole.String())
			}
			if strings.ContainsFunc(part, terminal.Obeyed) {
				t.Fatalf("%q", whole.String())
			}
		}
		if text := string(p); utf8.Valid(p) && !strings.ContainsFunc(text, terminal.Obeyed) && whole.String() != text {
			t.Fatalf("%q came out as %q", text, whole.String())
		}
		if bytes.ContainsRune(p, '\x1b') {
			return
		}
		var parts bytes.Buffer
		g = terminal.NewGuard(&parts)
		at = max(0, min(at, len(p)))
		for _, piece := range [][]byte{p[:at], p[at:]} {
			if _, err := g.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Flush(); err != nil {
			t.Fatal(err)
		}
		if parts.String() != whole.String() {
			t.Fatalf("%q in pieces is %q, whole %q", p, parts.String(), whole.String())
		}
	})
}
