package output

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/terminal"
	"github.com/momtree/mom/internal/wire"
)

// testdata/salt_outputs.jsonl has values and the output of Salt's own outputters.
func TestPrintsWhatSaltPrints(t *testing.T) {
	f, err := os.Open("testdata/salt_outputs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	rows, bad, tamed := 0, 0, 0
	for ; sc.Scan(); rows++ {
		raw, err := wire.FromJSON(sc.Bytes())
		if err != nil {
			t.Fatalf("row %d: %v", rows, err)
		}
		all, err := wire.Decode(raw)
		if err != nil {
			t.Fatalf("row %d: %v", rows, err)
		}
		m := all.(*wire.Map)
		v, _ := m.Get("v")
		for form, how := range map[string]struct {
			name string
			o    Options
		}{
			"yaml":      {"yaml", Options{}},
			"yaml4":     {"yaml", Options{Indent: ptr(4)}},
			"yaml-1":    {"yaml", Options{Indent: ptr(-1)}},
			"json":      {"json", Options{}},
			"json-1":    {"json", Options{Indent: ptr(-1)}},
			"json2":     {"json", Options{Indent: ptr(2)}},
			"nested":    {"nested", Options{}},
			"nestedc":   {"nested", Options{Color: true, Retcode: 1}},
			"raw":       {"raw", Options{}},
			"txt":       {"txt", Options{}},
			"no_return": {"no_return", Options{}},
		} {
			want, ok := m.Get(form)
			if !ok {
				continue
			}
			got, err := Text(how.name, v, how.o)
			if err == nil && got != want && bare(got) == bare(want.(string)) {
				tamed++
				continue
			}
			if err != nil || got != want {
				if bad++; bad < 25 {
					t.Errorf("row %d as %s: %v\n%s", rows+1, form, err, cmp.Diff(want, got))
				}
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d differences", bad)
	}
	t.Logf("%d rows, %d texts of them made harmless", rows, tamed)
	if tamed > 473 {
		t.Errorf("%d texts are not what Salt prints", tamed)
	}
	if rows < 900 {
		t.Errorf("only %d rows of test data", rows)
	}
}

// bare returns a text without the characters that Salt prints and this package replaces: those
// that a terminal would execute, which are marks here, and line ends in names. JSON writes
// these characters in another way.
func bare(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune("\n?\u2028\u2029", r) || terminal.Obeyed(r) {
			return -1
		}
		return r
	}, strings.NewReplacer(`\u007f`, "", `\u0085`, "").Replace(text)))
}

func ptr(n int) *int { return &n }
