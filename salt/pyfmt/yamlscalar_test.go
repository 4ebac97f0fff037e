package pyfmt

import (
	"bufio"
	"encoding/json"
	"math/big"
	"os"
	"strings"
	"testing"
)

// testdata/yamlscalars.jsonl was written by Salt's own loader: scalar, Python type, Python
// text.
func TestScalarsReadAsSaltReadsThem(t *testing.T) {
	f, err := os.Open("testdata/yamlscalars.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := 0
	for sc := bufio.NewScanner(f); sc.Scan(); rows++ {
		var row [3]string
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		got := YAMLScalar(row[0])
		typ := "?"
		switch got.(type) {
		case nil:
			typ = "NoneType"
		case bool:
			typ = "bool"
		case int64, *big.Int:
			typ = "int"
		case float64:
			typ = "float"
		case string:
			typ = "str"
		}
		if typ != row[1] || Str(got) != row[2] {
			t.Errorf("%q: got %s %q, Salt reads %s %q", row[0], typ, Str(got), row[1], row[2])
		}
	}
	if rows < 50 {
		t.Fatalf("only %d rows of test data", rows)
	}
}

// A text longer than any number stays text, without delay.
func TestScalar_LongerThanNumbers(t *testing.T) {
	for _, s := range []string{"9", "0x9", "1.", "-1_0.5e+1", "1:2"} {
		long := s + strings.Repeat("0", maxNumber+1-len(s))
		if got := YAMLScalar(long); got != long {
			t.Errorf("%s…, %d bytes: %T", s, len(long), got)
		}
	}
	if got := YAMLScalar("1." + strings.Repeat("0", maxNumber-2)); got != 1.0 {
		t.Errorf("a number of %d bytes is %T", maxNumber, got)
	}
}
