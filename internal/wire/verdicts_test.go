package wire

import (
	"maps"
	"testing"
)

func TestVerdicts(t *testing.T) {
	var v Verdicts
	if v.Reply() != nil {
		t.Error("no verdict has a form")
	}
	for _, r := range []ReturnOf{{"1", "a"}, {"1", "b"}, {"2", "a"}} {
		v.Leave(r)
	}
	v.Refuse(ReturnOf{"1", "c"}, "nested too deep")
	v.Refuse(ReturnOf{"1", "d"}, "no map")
	raw, err := Encode(v.Reply())
	if err != nil {
		t.Fatal(err)
	}
	got, ok := ReadVerdicts(raw)
	if !ok || !maps.Equal(got.Left, v.Left) || !maps.Equal(got.Refused, v.Refused) {
		t.Errorf("read %+v", got)
	}
	for _, other := range []any{nil, "", true, NewMap(), NewMap("left", 1), NewMap("refused", []any{"x"}), []any{"left"}} {
		raw, err := Encode(other)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ReadVerdicts(raw); ok {
			t.Errorf("%v is taken for such an answer", other)
		}
	}
}

func FuzzReadVerdicts(f *testing.F) {
	v := Verdicts{}
	v.Leave(ReturnOf{"1", "a"})
	v.Refuse(ReturnOf{"1", "b"}, "why")
	raw, err := Encode(v.Reply())
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(raw))
	f.Add([]byte("\x81\xa4left\x81\x01\x91\xa1a"))
	f.Fuzz(func(_ *testing.T, b []byte) { ReadVerdicts(b) })
}
