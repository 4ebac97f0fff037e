package wire_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

func TestToJSON(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "null"},
		{[]any{true, false, -1, uint64(math.MaxUint64)}, "[true, false, -1, 18446744073709551615]"},
		{[]any{1.0, 1e16, 1e15, 1e-5, 0.0001, 1.5, math.Copysign(0, -1), 1e300}, "[1.0, 1e+16, 1000000000000000.0, 1e-05, 0.0001, 1.5, -0.0, 1e+300]"},
		{[]any{math.NaN(), math.Inf(1), math.Inf(-1)}, "[NaN, Infinity, -Infinity]"},
		{"a\"\\\n\r\t\f\b\x01\x7f/é🧂", `"a\"\\\n\r\t\f\b\u0001` + "\x7f" + `/é🧂"`},
		{"\xff ok \xed\xb2\x80", `"\udcff ok \udced\udcb2\udc80"`},
		{[]byte("bin"), `"bin"`},
		{wire.NewMap("z", 1, "a", []any{}, "m", wire.NewMap()), `{"z": 1, "a": [], "m": {}}`},
		{wire.NewMap(1, "a", nil, 2, true, 3, 1.5, 4), `{"$map": [[1, "a"], [null, 2], [true, 3], [1.5, 4]]}`},
		{time.Date(2024, 1, 2, 3, 4, 5, 6000, time.UTC), `{"$ext": [78, "20240102T03:04:05.000006"]}`},
		{wire.Ext{Type: -3, Data: []byte("x\xff")}, `{"$ext": [-3, "x\udcff"]}`},
		{wire.NewMap("$ext", 1), `{"$$ext": 1}`},
		{wire.NewMap("$$map", 1), `{"$$$map": 1}`},
		{wire.NewMap("$map", 1, "b", 2), `{"$map": 1, "b": 2}`},
		{wire.NewMap("$", 1), `{"$": 1}`},
	} {
		b := pack(t, c.v)
		got, err := wire.ToJSON(b)
		if err != nil || string(got) != c.want {
			t.Errorf("%#v: %s, %v\nwant %s", c.v, got, err, c.want)
		}
		back, err := wire.FromJSON(got)
		if err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		same(t, "back from JSON", back, b)
	}
}

func TestFromJSON(t *testing.T) {
	for j, want := range map[string]string{
		" [ 1 , -0 , 0.5e1 , 1E400 ] ": "\x94\x01\x00\xcb\x40\x14\x00\x00\x00\x00\x00\x00\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00",
		`"\ud83e\uddc2\u00e9\/"`:       "\xa7🧂é/",
		`{"b":1,"a":{"c":null}}`:       "\x82\xa1b\x01\xa1a\x81\xa1c\xc0",
		`{"$ext": [300, "x"]}`:         "\x81\xa4$ext\x92\xcd\x01\x2c\xa1x",
		`{"$map": [[[], 1]]}`:          "\x81\xa4$map\x91\x92\x90\x01",
		`{"$map": [1]}`:                "\x81\xa4$map\x91\x01",
		`-99999999999999999999`:        "\xb5-99999999999999999999",
		"\"\x7f\"":                     "\xa1\x7f",
	} {
		got, err := wire.FromJSON([]byte(j))
		if err != nil || string(got) != want {
			t.Errorf("%s: %x, %v, want %x", j, got, err, want)
		}
	}
	for _, j := range []string{
		"", " ", "{", "[", "[1", "[1,", "[1,]", `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`, `{a:1}`, `{1:1}`, "nul", "1 2", "01", "1.", ".5", "+1", "1e", "--1",
		`"`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\ud800"`, `"\ud800\u0041"`, `"\udc00"`, "\"\xff\"", `"a\`, `"\u+123"`, `[1}`, "]",
		strings.Repeat("[", 200), strings.Repeat("[", 65) + strings.Repeat("]", 65), "-", "-Inf",
	} {
		if got, err := wire.FromJSON([]byte(j)); err == nil {
			t.Errorf("%q taken as %x", j, got)
		}
	}
	if _, err := wire.FromJSON([]byte(`[1, }`)); !errors.Is(err, wire.ErrJSON) || !strings.Contains(err.Error(), "byte 4") {
		t.Errorf("err = %v", err)
	}
}

// The output of ToJSON is valid JSON, except for NaN and Infinity.
func TestToJSONIsJSON(t *testing.T) {
	j, err := wire.ToJSON(pack(t, stateReturn(5)))
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(j) {
		t.Errorf("not valid: %s", j)
	}
}
