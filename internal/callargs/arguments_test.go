package callargs_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/callargs"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// show formats values with their types.
func show(v any) string {
	b, err := wire.Encode(v)
	if err != nil {
		return "not for the wire: " + err.Error()
	}
	j, err := wire.ToJSON(b)
	if err != nil {
		return err.Error()
	}
	return string(j)
}

// TestValue compares with the values that Salt 3007 reads from the words.
func TestValue(t *testing.T) {
	for _, c := range []struct {
		text string
		want any
	}{
		{"1", int64(1)},
		{"-1", int64(-1)},
		{"1.5", 1.5},
		{"True", true},
		{"true", true},
		{"yes", true},
		{"no", false},
		{"on", true},
		{"off", false},
		{"null", nil},
		{"None", nil},
		{"~", nil},
		{"", ""},
		{"  ", "  "},
		{`""`, ""},
		{"'q'", "q"},
		{`"a\tb"`, "a\tb"},
		{"[a, b]", []any{"a", "b"}},
		{"[]", []any{}},
		{"{}", wire.NewMap()},
		{"{a: 1}", wire.NewMap("a", int64(1))},
		{"{b: 1, a: [1, {c: null}]}", wire.NewMap("b", int64(1), "a", []any{int64(1), wire.NewMap("c", nil)})},
		{"{2: a, true: b, ~: c}", wire.NewMap(int64(2), "a", true, "b", nil, "c")},
		{"{<<: {a: 1, b: 2}, b: 3}", wire.NewMap("a", int64(1), "b", int64(3))},
		{"{<<: [{a: 1}, {a: 2, b: 2}]}", "{<<: [{a: 1}, {a: 2, b: 2}]}"}, // a duplicate key
		{"{<<: [{a: 1}, {b: 2}]}", wire.NewMap("b", int64(2), "a", int64(1))},
		{"{<<: 1}", "{<<: 1}"},
		{"{a: &x [1], b: *x}", wire.NewMap("a", []any{int64(1)}, "b", []any{int64(1)})},
		{"0x10", int64(16)},
		{"010", int64(10)},
		{"0777", int64(777)},
		{"00", int64(0)},
		{"1_000", "1_000"},
		{"1_000.5", 1000.5},
		{"1e3", "1e3"},
		{".5", 0.5},
		{"-.5", "-.5"},
		{"2024-01-01", "2024-01-01"},
		{"2024-01-01 00:00:00.000000", "2024-01-01 00:00:00.000000"},
		{"12:30", int64(750)},
		{"1:30", int64(90)},
		{"a: b", "a: b"},
		{"- a", "- a"},
		{"#x", "#x"},
		{"x #y", "x #y"},
		{"1 #y", int64(1)},
		{"!cmd", "!cmd"},
		{"!", "!"},
		{"|", "|"},
		{">", ">"},
		{"---", "---"},
		{"...", "..."},
		{"--- a", "a"},
		{"*", "*"},
		{"*x", "*x"},
		{"&a", nil},
		{"@at", "@at"},
		{"%p", "%p"},
		{"`x`", "`x`"},
		{"text with blanks", "text with blanks"},
		{" padded ", "padded"},
		{"multi\nline", "multi\nline"},
		{"tab\there", "tab\there"},
		{"[a", "[a"},
		{"[a] b", "[a] b"},
		{"{a: 1, a: 2}", "{a: 1, a: 2}"},
		{"{[a]: 1}", "{[a]: 1}"},
		{"!!str 1", "1"},
		{"!!int 7", int64(7)},
		{"!!int x", "!!int x"},
		{"!!float 7", 7.0},
		{"!!null x", nil},
		{"!!bool yes", true},
		{"!!binary aGk=", "!!binary aGk="},
		{"!!python/object:x {}", "!!python/object:x {}"},
		{"[!!set {a}]", []any{[]any{"a"}}},
		{"http://h/x?y=1", "http://h/x?y=1"},
		{"20240101000000000001", "20240101000000000001"}, // a job id
		{"9223372036854775808", uint64(1) << 63},
		{"\x1b[31m", "\x1b[31m"},
		{"a\xffb", "a\xffb"},
	} {
		if got := pyfmt.YAMLWord(c.text); show(got) != show(c.want) {
			t.Errorf("%q: got %s, want %s", c.text, show(got), show(c.want))
		}
	}
}

func TestParse(t *testing.T) {
	words := []string{
		"[a, b]", "{a: 1}", "text with spaces", "multi\nline", "a=b=c", "a b=c", "A=1", "1a=1", "x-y=1", "x.y=1", "k=null", "k2=~", "k3=",
		"k4='12'", `k5="12"`, "k6=0777", "k7=00", "k8=1:30", "k9={a: [1, 2]}", "a==b", "_u=1", "é=1", "=x", "n=1\n2", "-d=1",
	}
	want := []any{
		[]any{"a", "b"},
		wire.NewMap("a", int64(1)), "text with spaces", "multi\nline", "a b=c", "1a=1", "a==b", "=x", "n=1\n2", "-d=1",
		wire.NewMap("__kwarg__", true, "a", "b=c", "A", int64(1), "x-y", int64(1), "x.y", int64(1), "k", nil, "k2", nil, "k3", "", "k4", "12",
			"k5", "12", "k6", int64(777), "k7", int64(0), "k8", int64(90), "k9", wire.NewMap("a", []any{int64(1), int64(2)}),
			"_u", int64(1), "é", int64(1)),
	}
	if d := cmp.Diff(show(want), show(callargs.Parse(words, nil))); d != "" {
		t.Error(d)
	}
}

func TestNoParse(t *testing.T) {
	got := callargs.Parse([]string{"num=0123", "other=123", "7"}, []string{"num"})
	if want := show([]any{int64(7), wire.NewMap("__kwarg__", true, "num", "0123", "other", int64(123))}); show(got) != want {
		t.Errorf("got %s, want %s", show(got), want)
	}
	if got := callargs.Parse(nil, nil); got == nil || len(got) != 0 {
		t.Errorf("no words: %#v", got)
	}
}

func TestGroups(t *testing.T) {
	for _, c := range []struct {
		words string // separated by |
		n     int
		sep   string
		want  string // groups separated by ;
	}{
		{",,|echo hi", 3, ",", ";;echo hi"},
		{"a|k=1,b", 2, ",", "a|k=1;b"},
		{"a|k=1|,|b", 2, ",", "a|k=1;b"},
		{",|echo a,b", 2, ",", ";echo a,b"},
		{"a|::|b", 2, "::", "a;b"},
		{"exit 3|,", 2, ",", "exit 3;"},
		{"", 2, ",", ""},
		{"a,b,c", 2, ",", "a;b;c"},
		{"a|b", 2, "", "a|b"},
	} {
		var words []string
		if c.words != "" {
			words = strings.Split(c.words, "|")
		}
		var got []string
		for _, g := range callargs.Groups(words, c.n, c.sep) {
			got = append(got, strings.Join(g, "|"))
		}
		if d := cmp.Diff(c.want, strings.Join(got, ";")); d != "" {
			t.Errorf("%s: %s", c.words, d)
		}
	}
}

// TestBounded: an argument that would expand without limit stays text.
func TestBounded(t *testing.T) {
	laughs := "{a: &a [x,x,x,x,x,x,x,x,x]"
	for c := 'b'; c <= 'k'; c++ {
		p := string(c - 1)
		laughs += ", " + string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+p+", ", 8) + "*" + p + "]"
	}
	laughs += "}"
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for _, text := range []string{laughs, deep} {
		if got := pyfmt.YAMLWord(text); got != text {
			t.Errorf("%.20s… became %T", text, got)
		}
	}
}

// FuzzValue: any word can be sent, and quoting it keeps it text.
func FuzzValue(f *testing.F) {
	for _, s := range []string{"1", "{a: 1}", "[a, *b]", "!!int x", "&a", "{<<: {a: 1}}", "12:30", "'q'", "x: y", "?", "{? a : b}", "\u0085", "[&a [*a]]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := pyfmt.YAMLWord(text)
		if _, big := v.(*big.Int); big {
			t.Fatalf("%q is too big a number for the wire", text)
		}
		if _, err := wire.Encode(v); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, a := range callargs.Parse([]string{text}, nil) {
			if _, err := wire.Encode(a); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
		for _, r := range text {
			if r < ' ' || r > '~' || r == '\'' {
				return
			}
		}
		if strings.TrimSpace(text) == "" || strings.Contains(text, "#") {
			return
		}
		if got := pyfmt.YAMLWord("'" + text + "'"); got != text {
			t.Fatalf("%q in quotes became %v", text, got)
		}
	})
}
