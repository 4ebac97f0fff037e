package wire

import (
	"errors"
	"testing"
)

func TestPick(t *testing.T) {
	b, err := Encode(NewMap("cmd", "publish", "deep", []any{NewMap("cmd", "no")}, "key", "k"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Pick(b, Limits{}, "key", "none", "cmd")
	if err != nil || string(got[0]) != "\xa1k" || got[1] != nil || string(got[2]) != "\xa7publish" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := Pick([]byte("\x82\xa1a\x01\xa1a\x02"), Limits{}, "a"); err != nil || got[0][0] != 2 {
		t.Errorf("of two the last: %q, %v", got, err)
	}
	if _, err := Pick([]byte{0x90}, Limits{}, "a"); err == nil {
		t.Error("a list has no fields")
	}
	if n, err := Size(b, Limits{}); n != 10 || err != nil {
		t.Errorf("%d values, %v", n, err)
	}
	if _, err := Pick(b, Limits{MaxNodes: 9}, "key"); !errors.Is(err, ErrTooMany) {
		t.Errorf("%v", err)
	}
	if _, err := Size(b, Limits{MaxNodes: 9}); !errors.Is(err, ErrTooMany) {
		t.Errorf("%v", err)
	}
	if _, err := DecodeWithin(b, Limits{MaxNodes: 9}); !errors.Is(err, ErrTooMany) {
		t.Errorf("%v", err)
	}
}

// Picking fields costs no allocation per skipped field.
func TestPick_MakesNothingOfTheRest(t *testing.T) {
	big := appendHead(nil, Dict, 100_000)
	for range 100_000 {
		big = append(big, 0xa4, 'n', 'a', 'm', 'e', 0x80)
	}
	if n := testing.AllocsPerRun(1, func() {
		if _, err := Pick(big, Limits{}, "cmd", "key"); err != nil {
			t.Fatal(err)
		}
	}); n > 5 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzPick(f *testing.F) {
	f.Add([]byte("\x82\xa1a\x01\xa1b\x90"), 10)
	f.Add([]byte("\xdf\xff\xff\xff\xff"), 10)
	f.Add([]byte{0x81, 0xa1, 'a'}, 3)
	f.Fuzz(func(t *testing.T, b []byte, nodes int) {
		lim := Limits{MaxNodes: nodes}
		n, err := Size(b, lim)
		if scanned := Scan(b, lim); (err == nil) != (scanned == nil) {
			t.Fatalf("Size %v, Scan %v", err, scanned)
		}
		if err == nil && n > len(b) {
			t.Fatalf("%d values in %d bytes", n, len(b))
		}
		got, err := Pick(b, lim, "a")
		if err != nil {
			return
		}
		want, err := Field(b, "a")
		if err != nil || string(want) != string(got[0]) {
			t.Fatalf("%x, Field says %x, %v", got[0], want, err)
		}
	})
}
