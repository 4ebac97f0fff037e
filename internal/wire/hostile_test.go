package wire_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// decoders are all functions that accept bytes from a stranger.
var decoders = map[string]func([]byte) error{
	"Scan":              func(b []byte) error { return wire.Scan(b, wire.Limits{}) },
	"Next":              func(b []byte) error { _, _, err := wire.Next(b, wire.Limits{}); return err },
	"Decode":            func(b []byte) error { _, err := wire.Decode(b); return err },
	"DecodeMap":         func(b []byte) error { _, err := wire.DecodeMap(b); return err },
	"ToBus":             func(b []byte) error { _, err := wire.ToBus(b); return err },
	"ToWire":            func(b []byte) error { _, err := wire.ToWire(b); return err },
	"ToJSON":            func(b []byte) error { _, err := wire.ToJSON(b); return err },
	"EncodeBus":         func(b []byte) error { _, err := wire.EncodeBus(wire.Raw(b)); return err },
	"Fields":            func(b []byte) error { return wire.Fields(b, func(string, wire.Raw) error { return nil }) },
	"Pairs":             func(b []byte) error { return wire.Pairs(b, func(_, _ wire.Raw) error { return nil }) },
	"Elems":             func(b []byte) error { return wire.Elems(b, func(int, wire.Raw) error { return nil }) },
	"Field":             func(b []byte) error { _, err := wire.Field(b, "x"); return err },
	"Without":           func(b []byte) error { _, err := wire.Without(b, "x"); return err },
	"Strings":           func(b []byte) error { _, err := wire.Strings(b); return err },
	"Str":               func(b []byte) error { _, err := wire.Str(b); return err },
	"Int":               func(b []byte) error { _, err := wire.Int(b); return err },
	"ParseEnvelope":     func(b []byte) error { _, err := wire.ParseEnvelope(b); return err },
	"ParseReturn":       func(b []byte) error { _, err := wire.ParseReturn(b); return err },
	"ParsePublishLoad":  func(b []byte) error { _, err := wire.ParsePublishLoad(b); return err },
	"ParsePublication":  func(b []byte) error { _, err := wire.ParsePublication(b); return err },
	"ParseSyndicReturn": func(b []byte) error { _, err := wire.ParseSyndicReturn(b); return err },
	"ParseMinionEvent":  func(b []byte) error { _, err := wire.ParseMinionEvent(b); return err },
	"SignedBytes":       func(b []byte) error { _, err := wire.SignedBytes(b); return err },
	"EarlySignedBytes":  func(b []byte) error { _, err := wire.EarlySignedBytes(b); return err },
	"Stamped":           func(b []byte) error { _, err := wire.Stamped(b, stamp); return err },
	"SplitStamp":        func(b []byte) error { _, _, _, err := wire.SplitStamp(b); return err },
	"ParseEvent": func(b []byte) error {
		_, _, err := wire.ParseEvent(append([]byte("tag\n\n"), b...))
		return err
	},
}

func nested(n int, unit string) []byte { return append(bytes.Repeat([]byte(unit), n), 0xc0) }

// Inputs that killed a process that used the library's decoder, and similar ones.
func TestHostileBytes(t *testing.T) {
	millions := append([]byte{0xdd, 0x00, 0x50, 0, 0}, bytes.Repeat([]byte{0xc0}, 0x500000)...)
	cases := []struct {
		name string
		b    []byte
		want error // of Scan
	}{
		{"nothing", nil, wire.ErrTruncated},
		{"never used code", []byte{0xc1}, wire.ErrBadCode},
		{"bin32 of 4 GiB", []byte{0xc6, 0xff, 0xff, 0xff, 0xff}, wire.ErrTooLarge},
		{"str32 of 4 GiB", []byte{0xdb, 0xff, 0xff, 0xff, 0xff}, wire.ErrTooLarge},
		{"ext32 of 4 GiB", []byte{0xc9, 0xff, 0xff, 0xff, 0xff, 1}, wire.ErrTooLarge},
		{"array32 of 4 Gi", []byte{0xdd, 0xff, 0xff, 0xff, 0xff}, wire.ErrTooMany},
		{"map32 of 4 Gi", []byte{0xdf, 0xff, 0xff, 0xff, 0xff}, wire.ErrTooMany},
		{"array32 of 1 Mi, empty", []byte{0xdd, 0, 0x10, 0, 0}, wire.ErrTruncated},
		{"map16 of 64 Ki, empty", []byte{0xde, 0xff, 0xff}, wire.ErrTruncated},
		{"bin16 cut", []byte{0xc5, 0, 9, 'a'}, wire.ErrTruncated},
		{"str8 without length", []byte{0xd9}, wire.ErrTruncated},
		{"uint64 cut", []byte{0xcf, 1, 2, 3}, wire.ErrTruncated},
		{"float cut", []byte{0xcb, 1}, wire.ErrTruncated},
		{"fixext cut", []byte{0xd8, 1, 2}, wire.ErrTruncated},
		{"map without its last value", []byte{0x81, 0xa1, 'k'}, wire.ErrTruncated},
		{"20 MB of lists in lists", nested(20<<20, "\x91"), wire.ErrTooDeep},
		{"maps in maps", nested(wire.DoorDepth+1, "\x81\xa1k"), wire.ErrTooDeep},
		{"maps as keys of maps", nested(65, "\x81"), wire.ErrTooDeep},
		{"5 million elements", millions, wire.ErrTooMany},
		{"a map and something more", []byte{0x80, 0xc0}, wire.ErrTrailing},
		{"text and something more", []byte{0xa1, 'k', 'j'}, wire.ErrTrailing},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := wire.Scan(c.b, wire.Limits{}); !errors.Is(err, c.want) {
				t.Errorf("Scan: %v, want %v", err, c.want)
			}
			for name, decode := range decoders {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				err := decode(c.b)
				runtime.ReadMemStats(&after)
				one := name == "Next" && errors.Is(c.want, wire.ErrTrailing) // it accepts further bytes after the value
				none := name == "EncodeBus" && c.b == nil                    // an empty Raw means nil
				if err == nil && !one && !none {
					t.Errorf("%s took it", name)
				}
				if got, most := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+4*len(c.b)); got > most {
					t.Errorf("%s allocated %d bytes for %d", name, got, len(c.b))
				}
			}
		})
	}
}

func TestLimits(t *testing.T) {
	deep := nested(3, "\x91")
	for _, c := range []struct {
		l    wire.Limits
		want error
	}{
		{wire.Limits{}, nil},
		{wire.Limits{MaxDepth: 3, MaxNodes: 4, MaxBytes: 4}, nil},
		{wire.Limits{MaxDepth: 2}, wire.ErrTooDeep},
		{wire.Limits{MaxNodes: 3}, wire.ErrTooMany},
		{wire.Limits{MaxBytes: 3}, wire.ErrTooLarge},
	} {
		if err := wire.Scan(deep, c.l); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.l, err, c.want)
		}
	}
	if err := wire.Scan(nested(1000, "\x91"), wire.Limits{MaxDepth: 1000}); err != nil {
		t.Errorf("depth 1000 allowed and refused: %v", err)
	}
}

// A constant inside a constant inside ... must not use up the stack.
func TestConstantsInConstants(t *testing.T) {
	var v any = "x"
	for range 500 {
		v = wire.Const{Name: "c", Value: v}
	}
	if _, err := wire.Encode(v); !errors.Is(err, wire.ErrTooDeep) && err != nil {
		t.Fatal(err)
	}
	b := []byte{0xa1, 'x'}
	for range 20000 {
		inner := append([]byte{0x92, 0xa1, 'c'}, b...)
		b, _ = wire.Encode(wire.Ext{Type: 79, Data: inner})
	}
	got, err := wire.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := wire.Encode(got)
	if err != nil || !bytes.Equal(again, b) {
		t.Errorf("not the same again: %v", err)
	}
}

func TestScanAllocatesNothing(t *testing.T) {
	b, err := wire.Encode(stateReturn(30))
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if wire.Scan(b, wire.Limits{}) != nil {
			t.Fail()
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	_, err := wire.ParseReturn([]byte("\x81\xa2id\x80"))
	if !errors.Is(err, wire.ErrType) || !strings.Contains(err.Error(), `field "id"`) || !strings.Contains(err.Error(), "have map") {
		t.Errorf("err = %v", err)
	}
	err = wire.Scan([]byte("\x82\xa1a\x01\xa1b\xc1"), wire.Limits{})
	if !errors.Is(err, wire.ErrBadCode) || !strings.Contains(err.Error(), "byte 6") {
		t.Errorf("err = %v", err)
	}
}
