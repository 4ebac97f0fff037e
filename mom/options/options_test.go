package options_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/mom/options"
)

type parsed struct {
	Static, Verbose, Async, NoColor bool
	Timeout                         int
	Wait                            float64
	Out, Indent, Dir                string
	Words                           []string
}

func parse(args []string) (parsed, error) {
	var p parsed
	var s options.Set
	s.Bool(&p.Static, "-s --static", "one document")
	s.Bool(&p.Verbose, "-v --verbose", "more")
	s.Bool(&p.Async, "--async", "do not wait")
	s.Bool(&p.NoColor, "--no-color --no-colour", "no colours")
	s.Int(&p.Timeout, "-t --timeout", "N", "seconds")
	s.Float(&p.Wait, "--batch-wait", "S", "seconds")
	s.Text(&p.Out, "--out --output", "OUT", "outputter")
	s.Text(&p.Indent, "--out-indent --output-indent", "N", "indent")
	s.Text(&p.Dir, "-c --config-dir", "DIR", "folder")
	var err error
	p.Words, err = s.Parse(args)
	return p, err
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		line string // words separated by blanks
		want parsed
	}{
		{"* test.ping", parsed{Words: []string{"*", "test.ping"}}},
		{"* test.ping -t 5 --out json", parsed{Timeout: 5, Out: "json", Words: []string{"*", "test.ping"}}},
		{"-t5 --out=json * test.ping", parsed{Timeout: 5, Out: "json", Words: []string{"*", "test.ping"}}},
		{"-vs * x", parsed{Static: true, Verbose: true, Words: []string{"*", "x"}}},
		{"-vst5 *", parsed{Static: true, Verbose: true, Timeout: 5, Words: []string{"*"}}},
		{"-vt 0x10 *", parsed{Verbose: true, Timeout: 16, Words: []string{"*"}}},
		{"--stat --asy", parsed{Static: true, Async: true}},
		{"--no-c", parsed{NoColor: true}}, // both names are of one option
		{"--output-i=2", parsed{Indent: "2"}},
		{"--out=a --out=b", parsed{Out: "b"}},
		{"--out= x", parsed{Words: []string{"x"}}},
		{"--out --static", parsed{Out: "--static"}},
		{"-c -t", parsed{Dir: "-t"}},
		{"a -- --static -t", parsed{Words: []string{"a", "--static", "-t"}}},
		{"a -1 -2.5 -.5 -", parsed{Words: []string{"a", "-1", "-2.5", "-.5", "-"}}},
		{"--batch-wait 1.5", parsed{Wait: 1.5}},
		{"-t -1", parsed{Timeout: -1}},
	} {
		got, err := parse(strings.Fields(c.line))
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.line, d)
		}
	}
}

func TestWrongLines(t *testing.T) {
	for line, want := range map[string]string{
		"--nosuch":          "no such option: --nosuch",
		"--show-timeout=1":  "no such option: --show-timeout",
		"-q":                "no such option: -q",
		"-vq":               "no such option: -q",
		"-é":                "no such option: -é",
		"-t abc":            "option -t: invalid integer value: 'abc'",
		"--timeout=abc":     "option --timeout: invalid integer value: 'abc'",
		"--timeou abc":      "option --timeout: invalid integer value: 'abc'",
		"--batch-wait soon": "option --batch-wait: invalid floating-point value: 'soon'",
		"-t":                "-t option requires 1 argument",
		"--out":             "--out option requires 1 argument",
		"--static=yes":      "--static option does not take a value",
		"--o=x":             "ambiguous option: --o (--out, --out-indent, --output, --output-indent?)",
	} {
		_, err := parse(strings.Fields(line))
		var wrong *options.Error
		if !errors.As(err, &wrong) || wrong.Text != want {
			t.Errorf("%s: got %v, want %q", line, err, want)
		}
	}
}

func TestForeignErrorPasses(t *testing.T) {
	boom := errors.New("boom")
	var s options.Set
	s.Do("--x", "", func() error { return boom })
	if _, err := s.Parse([]string{"--x"}); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
}

func TestTwiceDefined(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an option was defined twice")
		}
	}()
	var s options.Set
	var b bool
	s.Bool(&b, "-a", "")
	s.Bool(&b, "-a", "")
}

func TestHelp(t *testing.T) {
	var s options.Set
	var b bool
	var text string
	s.Bool(&b, "-s --static", "one document")
	s.Group("Output Options")
	s.Text(&text, "-o --out", "OUT", strings.Repeat("word ", 20))
	var w strings.Builder
	if err := s.WriteHelp(&w); err != nil {
		t.Fatal(err)
	}
	pad := strings.Repeat(" ", 24)
	want := "Options:\n  -s, --static\n" + pad + "one document\n\n  Output Options:\n    -o OUT, --out=OUT\n" +
		"  " + pad + strings.TrimSpace(strings.Repeat("word ", 11)) + "\n  " + pad + strings.TrimSpace(strings.Repeat("word ", 9)) + "\n"
	if d := cmp.Diff(want, w.String()); d != "" {
		t.Error(d)
	}
}

// FuzzParse holds that words are never invented, and that what follows -- comes
// out as it is.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"* test.ping -t 5", "--out=json\x00-vs\x00x", "--\x00-t", "-t\x00-1", "--o", "-", "--=", "-é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		got, err := parse(args)
		if err != nil {
			var wrong *options.Error
			if !errors.As(err, &wrong) || wrong.Text == "" {
				t.Fatalf("no text: %v", err)
			}
			return
		}
		rest := args
		for _, w := range got.Words {
			i := slices.Index(rest, w)
			if i < 0 {
				t.Fatalf("%q is not in %q in this order", w, args)
			}
			rest = rest[i+1:]
		}
	})
}
