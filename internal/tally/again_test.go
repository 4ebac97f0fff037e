package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

const failedOnce = `{"Action":"fail","Package":"m/a","Test":"TestX/one"}
{"Action":"fail","Package":"m/a","Test":"TestX"}
{"Action":"fail","Package":"m/a"}
{"Action":"fail","Package":"m/b"}
`

func TestAgain(t *testing.T) {
	good := `{"Action":"pass","Package":"m/a","Test":"TestX"}` + "\n" + `{"Action":"pass","Package":"m/a"}` + "\n"
	bad := `{"Action":"fail","Package":"m/a","Test":"TestX"}` + "\n" + `{"Action":"fail","Package":"m/a"}` + "\n"
	for name, c := range map[string]struct {
		second string
		want   bool
	}{
		"it passes":    {good, true},
		"it fails":     {bad, false},
		"nothing runs": {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			first := newTally(io.Discard)
			if err := first.read(strings.NewReader(failedOnce)); err != nil {
				t.Fatal(err)
			}
			var asked []string
			got := first.again(t.Context(), &out, func(_ context.Context, args []string) (io.ReadCloser, error) {
				asked = append(asked, strings.Join(args, " "))
				return io.NopCloser(strings.NewReader(c.second)), nil
			})
			if got != c.want {
				t.Errorf("steady %v, said %s", got, &out)
			}
			if len(asked) != 2 || !strings.HasSuffix(asked[0], "-run ^(TestX)$ m/a") || !strings.HasSuffix(asked[1], "-json m/b") {
				t.Errorf("ran %q", asked)
			}
			if c.want != strings.Contains(out.String(), "UNSTEADY") {
				t.Errorf("said %s", &out)
			}
		})
	}
}

func TestNoSecondRun(t *testing.T) {
	many := ""
	for _, pkg := range strings.Split("a b c d e f g h", " ") {
		many += `{"Action":"fail","Package":"` + pkg + `","Test":"TestX"}` + "\n"
	}
	for name, events := range map[string]string{
		"all passed":  `{"Action":"pass","Package":"a","Test":"TestX"}` + "\n",
		"too many":    many,
		"one skipped": failedOnce + `{"Action":"skip","Package":"a","Test":"TestY"}` + "\n",
	} {
		first := newTally(io.Discard)
		if err := first.read(strings.NewReader(events)); err != nil {
			t.Fatal(err)
		}
		if first.again(t.Context(), io.Discard, func(context.Context, []string) (io.ReadCloser, error) {
			t.Errorf("%s: run again", name)
			return nil, io.EOF
		}) {
			t.Errorf("%s: counts as passed", name)
		}
	}
}
