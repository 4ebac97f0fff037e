package pyfmt

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// TestAsSalt compares hand-picked and random words with the results of Salt 3007's own
// reader. It omits words that are read differently on purpose: a lone >, | or =, of which
// Salt loses a part, and maps and lists without braces or brackets, which Salt accepts if
// they contain a #.
func TestAsSalt(t *testing.T) {
	f, err := os.Open("testdata/yaml.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); n++ {
		var row [2]string
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if got := Repr(YAMLWord(row[0])); got != row[1] {
			t.Errorf("%q: got %s, want %s", row[0], got, row[1])
		}
	}
	if n < 1000 {
		t.Errorf("only %d words were compared", n)
	}
}
