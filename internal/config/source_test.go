package config

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLineOfASyntaxError: an error in the YAML has the line that Salt reports.
func TestLineOfASyntaxError(t *testing.T) {
	for text, line := range map[string]int{
		"a: 1\nb: [1\nc: 2\n":          3, // as in Salt
		"a: 1\nb:\n  - x\n y: 2\n":     4,
		"a: 1\nb: |\n  x\n y\n":        4,
		"- a\nb: 1\n":                  2,
		"a: 1\n}\n":                    2,
		"[":                            1,
		"a: [":                         1,
		"a: 1\n\nb: [\n":               3,
		"a: 1\nb: {x: 1\nc: 2\n":       3, // as in Salt
		"a: 1\n  b: 2\n":               2,
		"a: 1\nb: : x\n":               2,
		"a: 1\n\tb: 2\n":               2,
		"a: 1\nb: @x\nc: 2\n":          2,
		"a: 1\nb: \"x\\q\"\nc: 2\n":    2,
		"a: 1\nb\nc: 2\n":              2,
		"a: 1\nb: &\nc: 3":             2,
		"a: 1\nb: 2\nc: *gone\nd: 1\n": 3,
		"x: y: z\n":                    1,
		"\x01: 2\n":                    1,
	} {
		_, faults := parse("f", []byte(text))
		if len(faults) != 1 {
			t.Errorf("%q: %v", text, faults)
			continue
		}
		var f *Fault
		if !errors.As(faults[0], &f) || f.Line != line {
			t.Errorf("%q: line %d, want %d: %v", text, f.Line, line, f)
		}
	}
}

// TestValuesAreThoseOfSaltsLoader: an option has the value that Salt reads, according to the
// same recorded words as static grains and words of a command line.
func TestValuesAreThoseOfSaltsLoader(t *testing.T) {
	b, err := os.ReadFile("../../salt/pyfmt/testdata/yamlscalars.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(b)) {
		var row [3]string // the word, Python's type and Python's text
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows++
		list, faults := parse("f", []byte("a: "+row[0]+"\n"))
		if len(faults) != 0 || len(list) != 1 || pyText(list[0].value) != row[2] {
			t.Errorf("a: %s is read as %v, %v; Salt reads %s %s", row[0], list, faults, row[1], row[2])
		}
	}
	if rows < 50 {
		t.Fatalf("only %d rows of test data", rows)
	}
	for text, value := range map[string]any{
		"a: 18446744073709551615":                  uint64(math.MaxUint64),
		"a: 99999999999999999999":                  "99999999999999999999",
		"a: !!int '010'":                           int64(10),
		"a: {2: x, yes: y}":                        map[string]any{"2": "x", "True": "y"},
		"a:\n  <<: [{x: 1, y: 2}, {z: 3}]\n  x: 4": map[string]any{"x": int64(4), "y": int64(2), "z": int64(3)},
	} {
		if list, faults := parse("f", []byte(text)); len(faults) != 0 || len(list) != 1 || !cmp.Equal(list[0].value, value) {
			t.Errorf("%s is read as %v, %v; want %v", text, list, faults, value)
		}
	}
	for text, fault := range map[string]string{
		"a:\n  <<: [{x: 1}, {x: 2}]": "f:2: x: is set twice; the first time in line 2", // Salt: found conflicting ID
		"1: a\n'1': b":               "f:2: 1: is set twice; the first time in line 1",
		"a: !!bool x":                "f:1: \"x\" is no !!bool",
	} {
		if _, faults := parse("f", []byte(text)); len(faults) != 1 || faults[0].Error() != fault {
			t.Errorf("%s: %v; want %s", text, faults, fault)
		}
	}
}
