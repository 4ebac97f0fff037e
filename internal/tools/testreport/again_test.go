package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

const failedOnce = `{"Action":"fail","Package":"m/a","Test":"TestX/one"}
{"Action":"fail","Package":"m/a","Test":"TestX"}
{"Action":"fail","Package":"m/a","Test":"TestY"}
{"Action":"fail","Package":"m/a"}
{"Action":"fail","Package":"m/b"}
`

// A test that failed and passed only when it ran again is counted and named in the last line;
// one that fails twice is not, and fails the run.
func TestAgain(t *testing.T) {
	const (
		good   = `{"Action":"pass","Package":"m/a","Test":"TestX"}` + "\n" + `{"Action":"pass","Package":"m/a"}` + "\n"
		other  = `{"Action":"pass","Package":"m/b","Test":"TestZ"}` + "\n" + `{"Action":"pass","Package":"m/b"}` + "\n"
		bad    = `{"Action":"fail","Package":"m/a","Test":"TestX"}` + "\n" + `{"Action":"fail","Package":"m/a"}` + "\n"
		half   = `{"Action":"pass","Package":"m/a","Test":"TestX"}` + "\n" + `{"Action":"fail","Package":"m/a","Test":"TestY/one"}` + "\n" + `{"Action":"fail","Package":"m/a","Test":"TestY"}` + "\n"
		broken = `{"Action":"pass","Package":"m/a","Test":"TestX"}` + "\n" + `{"Action":"fail","Package":"m/a"}` + "\n"
	)
	for name, c := range map[string]struct {
		a, b string // the results of the second runs of m/a and m/b
		want bool
		last string
	}{
		"both pass":           {good, other, true, "7 passed, 0 failed, 0 skipped, 3 passed only when run again, to be mended: m/a.TestX, m/a.TestY, m/b"},
		"one test fails":      {half, other, false, "7 passed, 2 failed, 0 skipped, 2 passed only when run again, to be mended: m/a.TestX, m/b"},
		"one package fails":   {bad, other, false, "7 passed, 1 failed, 0 skipped, 2 passed only when run again, to be mended: m/a.TestY, m/b"},
		"it ends early":       {broken, other, false, "7 passed, 1 failed, 0 skipped, 1 passed only when run again, to be mended: m/b"},
		"nothing runs":        {"", other, false, "7 passed, 1 failed, 0 skipped, 1 passed only when run again, to be mended: m/b"},
		"nothing runs at all": {"", "", false, "7 passed, 2 failed, 0 skipped, 0 passed only when run again, to be mended"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			first := newTally(io.Discard)
			if err := first.read(strings.NewReader(failedOnce)); err != nil {
				t.Fatal(err)
			}
			first.passed = 7
			var asked []string
			got := first.again(t.Context(), &out, []string{"-race"}, func(_ context.Context, args []string) (io.ReadCloser, error) {
				asked = append(asked, strings.Join(args, " "))
				return io.NopCloser(strings.NewReader([]string{c.a, c.b}[len(asked)-1])), nil
			})
			if got != c.want {
				t.Errorf("steady %v, said %s", got, &out)
			}
			if len(asked) != 2 || !strings.HasSuffix(asked[0], "-run ^(TestX|TestY)$ m/a") || asked[1] != "-C . test -race -count=1 -timeout 10m -json m/b" {
				t.Errorf("ran %q", asked)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if last := lines[len(lines)-1]; last != c.last {
				t.Errorf("last line\n%s, want\n%s", last, c.last)
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
		if first.again(t.Context(), io.Discard, nil, func(context.Context, []string) (io.ReadCloser, error) {
			t.Errorf("%s: run again", name)
			return nil, io.EOF
		}) {
			t.Errorf("%s: counts as passed", name)
		}
	}
}

// A package is run again in its own module.
func TestModuleOf(t *testing.T) {
	for pkg, want := range map[string]string{
		"github.com/momtree/mom/master": ".", "github.com/momtree/mom/lab/chaos": "lab", "github.com/momtree/mom/test/collector": "test/collector", "github.com/momtree/mom/test/brokers": "test/brokers",
		"github.com/momtree/mom/test/page": ".", "github.com/momtree/mom/laboratory": ".",
	} {
		if got := moduleOf(pkg); got != want {
			t.Errorf("%s: %q, want %q", pkg, got, want)
		}
	}
}
