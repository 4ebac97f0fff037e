package pyfmt

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/big"
	"os"
	"strconv"
	"testing"

	"github.com/momtree/mom/value"
)

// testdata/written.jsonl holds random values with the output of Python 3.11: PyYAML 6.0
// with libyaml through Salt's safe_dump, json.dumps, pprint.pformat and repr. A null is an
// error in Python.
func TestWritesWhatPythonWrites(t *testing.T) {
	f, err := os.Open("testdata/written.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	rows, bad := 0, 0
	for ; lines.Scan(); rows++ {
		var row map[string]any
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		v := recorded(t, row["v"])
		jsonOf := func(f JSONForm) any {
			if s, err := JSON(v, f); err == nil {
				return s
			}
			return nil
		}
		for form, got := range map[string]any{
			"block":   YAML(v, YAMLForm{}),
			"flow":    YAML(v, YAMLForm{Flow: true}),
			"leaves":  YAML(v, YAMLForm{Leaves: true}),
			"ascii":   YAML(v, YAMLForm{ASCII: true}),
			"four":    YAML(v, YAMLForm{Indent: 4}),
			"json":    jsonOf(JSONForm{ASCII: true}),
			"json2":   jsonOf(JSONForm{Lines: true, Indent: "  "}),
			"sorted":  jsonOf(JSONForm{ASCII: true, SortKeys: true}),
			"pprint":  Pretty(v, 1),
			"pprint4": Pretty(v, 4),
			"repr":    Repr(v),
		} {
			if want := row[form]; got != want {
				if bad++; bad < 20 {
					t.Errorf("row %d as %s:\n got %q\nwant %q", rows+1, form, got, want)
				}
			}
		}
	}
	if rows < 400 || bad > 0 {
		t.Errorf("%d rows, %d differences", rows, bad)
	}
}

// recorded parses a value of the file: {"l": list}, {"d": pairs}, {"i": digits}, {"f":
// float}.
func recorded(t *testing.T, v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	switch {
	case m["i"] != nil:
		n, ok := new(big.Int).SetString(m["i"].(string), 10)
		if !ok {
			t.Fatalf("number %v", m["i"])
		}
		if n.IsInt64() {
			return n.Int64()
		}
		return n
	case m["f"] != nil:
		f, err := strconv.ParseFloat(m["f"].(string), 64)
		if err != nil {
			t.Fatal(err)
		}
		return f
	case m["d"] != nil:
		out := value.NewMap()
		for _, p := range m["d"].([]any) {
			out.Set(recorded(t, p.([]any)[0]), recorded(t, p.([]any)[1]))
		}
		return out
	}
	list := m["l"].([]any)
	out := make([]any, len(list))
	for i, e := range list {
		out[i] = recorded(t, e)
	}
	return out
}
