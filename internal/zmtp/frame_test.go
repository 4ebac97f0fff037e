package zmtp

import (
	"bytes"
	"errors"
	"testing"
)

func TestHeader(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes []byte
		want  header
		err   error
	}{
		{"empty", []byte{0, 0}, header{0, 0}, nil},
		{"short", []byte{1, 255}, header{1, 255}, nil},
		{"long", []byte{2, 0, 0, 0, 0, 0, 0, 1, 0}, header{2, 256}, nil},
		{"long form of a short one", []byte{3, 0, 0, 0, 0, 0, 0, 0, 7}, header{3, 7}, nil},
		{"command", []byte{4, 5}, header{4, 5}, nil},
		{"2^40", []byte{2, 0, 0, 1, 0, 0, 0, 0, 0}, header{2, 1 << 40}, nil},
		{"2^63", []byte{2, 0x80, 0, 0, 0, 0, 0, 0, 0}, header{}, ErrFrame},
		{"all ones", []byte{2, 255, 255, 255, 255, 255, 255, 255, 255}, header{}, ErrFrame},
		{"reserved bit 3", []byte{8, 0}, header{}, ErrFrame},
		{"reserved bit 7", []byte{0x80, 0}, header{}, ErrFrame},
		{"command with more", []byte{5, 0}, header{}, ErrFrame},
	} {
		got, err := parseHeader(c.bytes)
		if !errors.Is(err, c.err) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.err)
		} else if err == nil && got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestHeaderRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 65535, 1 << 20} {
		b := appendHeader(nil, flagMore, n)
		if len(b) != headerSize(b[0]) {
			t.Errorf("%d: %d bytes, headerSize says %d", n, len(b), headerSize(b[0]))
		}
		h, err := parseHeader(b)
		if err != nil || h.size != int64(n) || !h.more() || h.command() {
			t.Errorf("%d: got %+v, %v", n, h, err)
		}
	}
}

func TestSplitPing(t *testing.T) {
	ttl, context, err := splitPing([]byte{1, 2, 'x', 'y'})
	if ttl != 258 || string(context) != "xy" || err != nil {
		t.Errorf("got %d %q %v", ttl, context, err)
	}
	for _, b := range [][]byte{nil, {0}, make([]byte, 19)} {
		if _, _, err := splitPing(b); !errors.Is(err, ErrFrame) {
			t.Errorf("%d bytes: %v", len(b), err)
		}
	}
}

func FuzzCommand(f *testing.F) {
	f.Add([]byte("\x04PING\x00\x00"))
	f.Add([]byte("\x09SUBSCRIBE"))
	f.Add([]byte("\xff"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		name, body, err := splitCommand(b)
		if err != nil {
			return
		}
		frame := appendCommand(nil, string(name), body)
		if !bytes.HasSuffix(frame, b) {
			t.Fatalf("%q became %q", b, frame)
		}
		_, _, _ = splitPing(body)
		_ = errorReason(body)
	})
}
