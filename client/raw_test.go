package client

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/value"
)

func TestRaw(t *testing.T) {
	inner, err := RawOf([]string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := RawOf(value.NewMap("z", 1, "a", []any{true, nil, 2.5}, "inner", inner, "go", map[string]any{"k": "v"}))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"z": 1, "a": [true, null, 2.5], "inner": ["x"], "go": {"k": "v"}}`; r.String() != want {
		t.Errorf("as text %s", r)
	}
	var some struct {
		Z     int
		A     []any
		Inner []string
	}
	if err := r.Unmarshal(&some); err != nil || some.Z != 1 || len(some.A) != 3 || some.Inner[0] != "x" {
		t.Errorf("%+v, %v", some, err)
	}
	var plain any
	if err := r.Unmarshal(&plain); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]any{"z": int64(1), "a": []any{true, nil, 2.5}, "inner": []any{"x"}, "go": map[string]any{"k": "v"}}, plain); d != "" {
		t.Error(d)
	}
	if m, err := r.Map(); err != nil || m.Keys()[0] != "z" || m.Map("go").String("k") != "v" {
		t.Errorf("%v, %v", m, err)
	}
	if f, err := r.Field("a"); err != nil || f.String() != "[true, null, 2.5]" {
		t.Errorf("%s, %v", f, err)
	}
	if f, err := r.Field("none"); err != nil || f != nil {
		t.Errorf("%s, %v", f, err)
	}
	b, err := json.Marshal(map[string]Raw{"r": inner, "none": nil})
	if err != nil || string(b) != `{"none":null,"r":["x"]}` {
		t.Errorf("%s, %v", b, err)
	}
	var args struct{ Arg []Raw }
	if err := json.Unmarshal([]byte(`{"arg": [{"b": 1, "a": [9007199254740993]}, "x"]}`), &args); err != nil || len(args.Arg) != 2 {
		t.Fatalf("%v, %v", args, err)
	}
	if sent, err := RawOf([]any{args.Arg[0], args.Arg[1]}); err != nil || sent.String() != `[{"b": 1, "a": [9007199254740993]}, "x"]` {
		t.Errorf("%s, %v", sent, err)
	}
	if err := json.Unmarshal([]byte(`{"arg": [{]}`), &args); err == nil {
		t.Error("that is no JSON")
	}
	if v, err := Raw(nil).Decode(); v != nil || err != nil {
		t.Errorf("%v, %v", v, err)
	}
}

func TestRawThatCannotBeRead(t *testing.T) {
	bad := Raw{0x92, 0x01}
	var v any
	var n int
	_, inside := RawOf([]any{bad})
	_, decoded := bad.Decode()
	_, field := bad.Field("k")
	_, asMap := Raw{0x01}.Map()
	for what, err := range map[string]error{
		"inside": inside, "decoded": decoded, "field": field, "no map": asMap, "any": bad.Unmarshal(&v), "int": bad.Unmarshal(&n), "text": Raw{0xa1, 'x'}.Unmarshal(&n),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if bad.String() == "" {
		t.Error("nothing is shown")
	}
	if _, err := RawOf(struct{}{}); err == nil {
		t.Error("a struct was packed")
	}
	nan, err := RawOf(math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	var f float64
	if err := nan.Unmarshal(&f); err == nil {
		t.Error("JSON has no NaN")
	}
}

func FuzzRaw(f *testing.F) {
	f.Add([]byte{0x82, 0xa1, 'k', 0x01, 0xa1, 'l', 0x93, 0xc0, 0xc2, 0xcb})
	f.Add([]byte{0xc0})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := Raw(b)
		v, err := r.Decode()
		if _, bad := r.Encode(); bad != nil && err == nil {
			t.Errorf("%x can be read and is not sent: %v", b, bad)
		}
		if text, bad := r.MarshalJSON(); bad == nil && err == nil {
			var back Raw
			if err := back.UnmarshalJSON(text); err != nil || back.String() != string(text) {
				t.Errorf("%x is %s in JSON, and that is %s, %v", b, text, back, err)
			}
		}
		_, _ = r.Field("k")
		_ = r.String()
		_ = value.Plain(v)
		var x any
		if again := r.Unmarshal(&x); (again == nil) != (err == nil) {
			t.Errorf("%x: %v and %v", b, err, again)
		}
	})
}
