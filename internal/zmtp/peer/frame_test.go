package peer

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// Frames with both forms of length survive a round trip, also from a stream that is cut at any
// point.
func TestFrame_Stream(t *testing.T) {
	long := strings.Repeat("l", 300)
	var stream []byte
	for _, body := range []string{"", "short", long} {
		stream = appendFrame(stream, 0, []byte(body))
	}
	for cut := range stream {
		if f, rest, need, err := parseFrame(stream[:cut], 1000); err != nil || need == 0 && len(rest) > cut || need > 0 && need <= cut && f.body == nil {
			t.Fatalf("of %d bytes: %v, %d are needed", cut, err, need)
		}
	}
	rest := stream
	for _, want := range []string{"", "short", long} {
		var f frame
		var need int
		var err error
		if f, rest, need, err = parseFrame(rest, 1000); err != nil || need != 0 || string(f.body) != want {
			t.Fatalf("%d bytes of %d: %v, %d are needed", len(f.body), len(want), err, need)
		}
	}
}

func TestFrame_Refused(t *testing.T) {
	for name, b := range map[string][]byte{
		"too long":        {2, 0, 0, 0, 0, 0, 0, 4, 0},
		"negative length": {2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"unknown flag":    {8, 0},
		"more commands":   {5, 0},
	} {
		if _, _, _, err := parseFrame(b, 1000); !errors.Is(err, ErrFrame) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(appendFrame(nil, flagMore, []byte("x")))
	f.Add(appendCommand(nil, "PING", []byte{0, 0, 1}))
	f.Add([]byte{2, 0, 0, 0, 0, 0, 0, 4, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		const most = 1 << 10
		fr, rest, need, err := parseFrame(b, most)
		switch {
		case err != nil:
			return
		case need > 0:
			if need <= len(b) || need > most+9 {
				t.Fatalf("of %d bytes %d are needed", len(b), need)
			}
			return
		case len(fr.body) > most || len(rest) >= len(b):
			t.Fatalf("%d bytes out of %d, %d are left", len(fr.body), len(b), len(rest))
		}
		if fr.command() {
			_, _, _ = cutCommand(fr.body)
		}
		again, _, _, err := parseFrame(appendFrame(nil, fr.flags&^flagLong, fr.body), most)
		if err != nil || !bytes.Equal(again.body, fr.body) {
			t.Fatalf("%q came back as %q: %v", fr.body, again.body, err)
		}
	})
}
