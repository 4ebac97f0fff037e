package runners

import (
	"fmt"
	"strings"
	"testing"
)

// unified equals Python's difflib.unified_diff(a, b, n=0).
func TestUnified(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"a b c", "a b c", ""},
		{"", "", ""},
		{"a b c", "a x c", "@@ -2 +2 @@ -b +x "},
		{"a b c d", "a d", "@@ -2,2 +1,0 @@ -b -c "},
		{"a d", "a b c d", "@@ -1,0 +2,2 @@ +b +c "},
		{"", "a", "@@ -0,0 +1 @@ +a "},
		{"a b", "", "@@ -1,2 +0,0 @@ -a -b "},
		{"a b c d e f", "b c d x e f g", "@@ -1 +0,0 @@ -a @@ -4,0 +4 @@ +x @@ -6,0 +7 @@ +g "},
		{"q a b x c d", "a b y c d f", "@@ -1 +0,0 @@ -q @@ -4 +3 @@ -x +y @@ -6,0 +6 @@ +f "},
	} {
		got := strings.ReplaceAll(unified(strings.Fields(c.a), strings.Fields(c.b), "x", "y"), "\n", " ")
		want := c.want
		if want != "" {
			want = "--- x +++ y " + want
		}
		if got != want {
			t.Errorf("%s | %s: %s, want %s", c.a, c.b, got, want)
		}
	}
}

// applied applies a diff to the first text and returns the second.
func applied(t *testing.T, a []string, diff string) []string {
	t.Helper()
	var out []string
	at := 0
	ls := lines(diff)
	if len(ls) > 0 {
		ls = ls[2:]
	}
	for _, l := range ls {
		switch {
		case strings.HasPrefix(l, "@@ "):
			var from string
			fmt.Sscanf(l, "@@ -%s", &from)
			start, count, ranged := 0, 1, strings.Contains(from, ",")
			if ranged {
				fmt.Sscanf(from, "%d,%d", &start, &count)
			} else {
				fmt.Sscanf(from, "%d", &start)
			}
			if count > 0 {
				start--
			}
			out = append(out, a[at:start]...)
			at = start
		case strings.HasPrefix(l, "-"):
			if a[at] != l[1:] {
				t.Errorf("%q is not line %d, %q", l, at+1, a[at])
			}
			at++
		default:
			out = append(out, l[1:])
		}
	}
	return append(out, a[at:]...)
}

func FuzzUnified(f *testing.F) {
	f.Add("a\nb\nc", "a\nx\nc")
	f.Add("", "\n\n")
	f.Add(strings.Repeat("a\n", 300)+"b\n", strings.Repeat("a\n", 250)+"c\nb\n")
	f.Fuzz(func(t *testing.T, from, to string) {
		if len(from)+len(to) > 10_000 {
			return
		}
		a, b := lines(from), lines(to)
		if got := applied(t, a, unified(a, b, "x", "y")); strings.Join(got, "\n") != strings.Join(b, "\n") || len(got) != len(b) {
			t.Errorf("%q to %q gives %q", a, b, got)
		}
	})
}

// Any sort key or tag is an order, a match or an error.
func FuzzSurveyOrder(f *testing.F) {
	f.Add("up")
	f.Add("[")
	f.Add("salt/(minion|job)/.*")
	f.Fuzz(func(t *testing.T, text string) {
		up, err := surveyOrder(text)
		if err == nil && up != (text == "up") {
			t.Errorf("%q: %v", text, up)
		}
		w, err := readWatch(&Call{Bound: Bind(Request{Fun: "state.event"})})
		if err != nil || w.count != -1 {
			t.Errorf("%+v, %v", w, err)
		}
		c := &Call{Bound: Bind(Request{Fun: "state.event", Args: []any{text, text, text}}), Env: &stage{}}
		_, _ = Run(t.Context(), c) // it ends and does not crash
	})
}
