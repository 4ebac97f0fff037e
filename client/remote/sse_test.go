package remote

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestDecoder(t *testing.T) {
	d := newDecoder(strings.NewReader("retry: 400\n:\n\nid: e-1\ntag: a\ndata: {}\n\r\ntag:b\r\ndata: 1\r\ndata: 2\r\n\r\nid: x\n\nunknown: y\ndata\n\ndata: half"), 1000)
	for _, want := range []event{{"e-1", "a", []byte("{}")}, {"", "b", []byte("1\n2")}, {"", "", []byte("")}} {
		got, err := d.next()
		if err != nil || got.id != want.id || got.tag != want.tag || string(got.data) != string(want.data) {
			t.Errorf("%+q, %v, want %+q", got, err, want)
		}
	}
	if _, err := d.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half an event: %v", err)
	}
	if _, err := newDecoder(strings.NewReader("\n\n:\n"), 10).next(); !errors.Is(err, io.EOF) {
		t.Errorf("the end: %v", err)
	}
}

// For any input the decoder ends, respects its bound, and returns events that survive encoding
// and decoding.
func FuzzDecoder(f *testing.F) {
	for _, s := range []string{"", "data: x\n\n", "id: 1\ntag: a\ndata: {}\ndata: b\n\n", "data: " + strings.Repeat("x", 300) + "\n\n", "\r\n\r\n", "tag: a", ":\n\n:\n\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		const most = 200
		d := newDecoder(strings.NewReader(string(b)), most)
		for range len(b) + 1 {
			e, err := d.next()
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, errLarge) {
					t.Fatalf("%v", err)
				}
				return
			}
			if n := len(e.id) + len(e.tag) + len(e.data); n > most {
				t.Fatalf("%d bytes of an event", n)
			}
			if strings.ContainsAny(e.tag+e.id, "\n") {
				t.Fatalf("%+q", e)
			}
			text := "id: " + e.id + "\ntag: " + e.tag + "\n"
			for line := range strings.SplitSeq(string(e.data), "\n") {
				text += "data: " + line + "\n"
			}
			again, err := newDecoder(strings.NewReader(text+"\n"), 1<<20).next()
			if err != nil || again.tag != e.tag || again.id != e.id {
				t.Fatalf("%+q, %v, want %+q", again, err, e)
			}
		}
		t.Fatal("it does not end")
	})
}
