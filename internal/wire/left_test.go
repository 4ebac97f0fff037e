package wire

import (
	"maps"
	"testing"
)

func TestLeft(t *testing.T) {
	rows := []ReturnOf{{"1", "a"}, {"1", "b"}, {"2", "a"}}
	raw, err := Encode(LeftReply(rows))
	if err != nil {
		t.Fatal(err)
	}
	left, ok := ReadLeft(raw)
	want := map[ReturnOf]bool{}
	for _, r := range rows {
		want[r] = true
	}
	if !ok || !maps.Equal(left, want) {
		t.Errorf("read %v", left)
	}
	for _, other := range []any{nil, "", true, NewMap(), NewMap("left", 1), []any{"left"}} {
		raw, err := Encode(other)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ReadLeft(raw); ok {
			t.Errorf("%v is taken for such an answer", other)
		}
	}
}

func FuzzReadLeft(f *testing.F) {
	raw, err := Encode(LeftReply([]ReturnOf{{"1", "a"}}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(raw))
	f.Add([]byte("\x81\xa4left\x81\x01\x91\xa1a"))
	f.Fuzz(func(_ *testing.T, b []byte) { ReadLeft(b) })
}
