package pyfmt

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The words are those of Python's shlex.split.
func TestSplitShell(t *testing.T) {
	tests := []struct {
		line  string
		words []string
		err   error
	}{
		{"", nil, nil},
		{"  a \t b\nc ", []string{"a", "b", "c"}, nil},
		{`a 'b c' "d e"`, []string{"a", "b c", "d e"}, nil},
		{`a''b "" ''`, []string{"ab", "", ""}, nil},
		{`a\ b \'`, []string{"a b", "'"}, nil},
		{`"a\"b" "c\\d" "e\f" '\g'`, []string{`a"b`, `c\d`, `e\f`, `\g`}, nil},
		{`a # b`, []string{"a", "#", "b"}, nil},
		{`a|b;c`, []string{"a|b;c"}, nil},
		{"ä \xff", []string{"ä", "\xff"}, nil},
		{`'a`, nil, errNoQuotation},
		{`"a`, nil, errNoQuotation},
		{`"a\`, nil, errNoEscaped},
		{`a\`, nil, errNoEscaped},
	}
	for _, tt := range tests {
		words, err := SplitCommand(tt.line)
		if err != tt.err || !cmp.Equal(words, tt.words) {
			t.Errorf("SplitCommand(%q) = %q, %v; want %q, %v", tt.line, words, err, tt.words, tt.err)
		}
	}
}

func FuzzSplitShell(f *testing.F) {
	for _, s := range []string{"a b", `'x y' "z\"" \`, `""`, "\\\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := SplitCommand(line)
		if err != nil {
			return
		}
		// What is quoted again comes apart into the same words.
		quoted := make([]string, len(words))
		for i, w := range words {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
		back, err := SplitCommand(strings.Join(quoted, " "))
		if err != nil || !cmp.Equal(back, words) {
			t.Fatalf("%q: %q came back as %q, %v", line, words, back, err)
		}
	})
}
