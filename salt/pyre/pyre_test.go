package pyre

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The results are those of Python 3.11. Package target compares 20,000 more with Salt's
// results.
func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"x{,1}db|web1", "db", true},
		{"x{,1}db", "x{,1}db", false},
		{"x{1, 2}", "x{1, 2}", true},
		{"x{}", "x{}", true},
		{"db", "dbx", true},
		{"b", "db", false},
		{"db$", "db\n", true},
		{"db$\n", "db\n", true},
		{"db$", "db\n\n", false},
		{`db\Z`, "db\n", false},
		{"(?m)db$\nx", "db\nx", true},
		{`\w+\Z`, "dé", true},
		{`(?a)\w+\Z`, "dé", false},
		{`\d`, "٣", true},
		{`\s`, "\x1f", true},
		{"(?i)K", "\u212a", true},
		{"(?i)s", "ſ", true},
		{"(?ai:s)", "ſ", false},
		{"(?i)[^s]", "ſ", false},
		{`(?P<a>d)(?P=a)`, "dd", true},
		{`(d)?b(?(1)x|y)`, "by", true},
		{`(d)?b(?(1)x|y)`, "dby", false},
		{`\144`, "d", true},
		{`[\b]`, "\b", true},
		{"[]-a]", "_", true},
		{"(?<!w)d", "d", true},
		{"(?<=d)b", "db", false},
		{"(?>d|db)x", "dbx", false},
		{"d*+d", "dd", false},
		{"(?x) d # all\n b", "db", true},
		{`\B`, "", false},
		{`\b`, "", false},
		{"(?!)", "", false},
		{"(a?)*b", "b", true},
		{`(?:(a)|b)*\1`, "aba", true},
	} {
		re, err := Compile(c.pattern)
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
			continue
		}
		if ok, known := re.Match(c.text); ok != c.want || !known {
			t.Errorf("%q on %q: %v, %v", c.pattern, c.text, ok, known)
		}
	}
}

func TestErrors(t *testing.T) {
	for pattern, text := range map[string]string{
		"a(?i)":                    "global flags not at the start of the expression at character 6",
		"*a":                       "nothing to repeat",
		"a**":                      "multiple repeat",
		"a{2,1}":                   "min repeat greater than max repeat",
		"(a":                       "missing ), unterminated subpattern",
		"a)":                       "unbalanced parenthesis",
		"[a":                       "unterminated character set",
		"[b-a]":                    "bad character range",
		`\1`:                       "invalid group reference 1",
		`(\1)`:                     "cannot refer to an open group",
		`\p{L}`:                    `bad escape \p`,
		`a\`:                       "bad escape (end of pattern)",
		"(?<=a*)":                  "look-behind requires fixed-width pattern",
		`(?<=(a)\1)`:               "same lookbehind subpattern",
		"(?P<1>a)":                 "bad character in group name",
		"(?P<a>a)(?P<a>":           "redefinition of group name",
		"(?L)a":                    "cannot use 'L' flag",
		"(?a)(?u)":                 "incompatible",
		"(?(2)a)":                  "invalid group reference 2",
		`\N{DIGIT ONE}`:            `\N is not supported`,
		"(?:ab)*+":                 "possessive repetition of a group is not supported",
		"a{4294967295}":            "the repetition number is too large",
		`\400`:                     "outside of range",
		strings.Repeat("(", 300):   "more than 200 levels",
		strings.Repeat("a", 1<<17): "at most 65536 are accepted",
	} {
		if _, err := Compile(pattern); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%.40q: %v, want %q", pattern, err, text)
		}
	}
}

func TestCompileWhole(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{{"a|ab", "ab", true}, {"a|b", "ab", false}, {"(?i)AB", "ab", true}, {"ab$", "ab\n", false}} {
		re, err := CompileWhole(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if ok, _ := re.Match(c.text); ok != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.text, ok)
		}
	}
	if _, err := CompileWhole("a)|(b"); err == nil {
		t.Error("parentheses that are not a pattern by themselves")
	}
}

// A pattern that tries all ways ends at a limit, with an unknown result.
func TestBounds(t *testing.T) {
	for _, c := range []struct{ pattern, text string }{
		{`(a+)+\1x`, strings.Repeat("a", 60)},
		{`(?=(?:a|b|ab)*x)(?:(a)|b)*`, strings.Repeat("ab", 500)},
		{`(?:(?:a)|b(?!c))*?x`, strings.Repeat("a", 30_000)},
	} {
		re, err := Compile(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 * maxSpent {
			if ok, known := re.Match(c.text); ok || known {
				t.Fatalf("%q: %v, %v", c.pattern, ok, known)
			}
		}
		if n := re.spent.Load(); n != maxSpent {
			t.Errorf("%q was begun %d times", c.pattern, n)
		}
	}
	// A regular pattern is run in linear time.
	re, err := Compile(`(a+)+$`)
	if err != nil {
		t.Fatal(err)
	}
	if ok, known := re.Match(strings.Repeat("a", 10_000) + "x"); ok || !known {
		t.Errorf("a regular pattern: %v, %v", ok, known)
	}
}

// Both engines give the same result.
func FuzzEngines(f *testing.F) {
	for _, s := range []string{`(?i)[k-s]+\W`, `x{,2}|\bd`, `(?:a|b?)*$`, `[^\d\s]é`, `(?m)^a$`} {
		f.Add(s, "ad\né")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := Compile(pattern)
		if err != nil || re.fast == nil || re.reads(text) || strings.ToValidUTF8(text, "") != text {
			return
		}
		m := newMachine(text, re.groups)
		if slow := m.sequence(re.tree, 0, matched); !m.spent && slow != re.fast.MatchString(text) {
			t.Errorf("%q on %q: backtracking says %v", pattern, text, slow)
		}
	})
}

// Patterns made to be slow to parse or to run are not.
func TestHugePatterns(t *testing.T) {
	for _, pattern := range []string{
		"(?i)" + strings.Repeat("k", 60_000),
		"(?i)(?=[" + strings.Repeat("k", 30_000) + "]*x)" + strings.Repeat("(a)", 5_000),
		strings.Repeat("(?=(a))", 5_000),
		strings.Repeat(`\w`, 30_000), "(?:(?:(?:a{0,999}){0,999}){0,999}){0,999}b(?!x)", "(?:){4000000000}(?!x)",
	} {
		begun := time.Now()
		re, err := Compile(pattern)
		if err != nil {
			t.Fatalf("%.20q: %v", pattern, err)
		}
		re.Match(strings.Repeat("a", 255))
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%.20q took %v", pattern, took)
		}
	}
}
