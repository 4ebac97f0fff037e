package wire_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
)

func TestMapKeys(t *testing.T) {
	type id string
	m := wire.NewMap(id("m1"), 1, uint8(7), 2, uint64(math.MaxUint64), 3, int16(-7), 4, stamp, 5, 2.5, 6, nil, 7, true, 8)
	for key, want := range map[any]int{"m1": 1, 7: 2, uint64(math.MaxUint64): 3, -7: 4, stamp: 5, 2.5: 6, nil: 7, true: 8} {
		if v, ok := m.GetKey(key); !ok || v != want {
			t.Errorf("key %v: %v, want %d", key, v, want)
		}
	}
	back, err := wire.DecodeMap(pack(t, m))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.Keys(), back.Keys()); diff != "" {
		t.Error(diff)
	}
	defer func() {
		if recover() == nil {
			t.Error("a list taken as a key")
		}
	}()
	m.Set([]any{1}, 1)
}

func TestMapReaders(t *testing.T) {
	m := wire.NewMap("s", "text", "b", []byte("bytes"), "i", 7, "u", uint64(8), "f", 2.5, "t", true,
		"m", wire.NewMap("k", 1), "l", []any{"a", 1}, "ls", []string{"b"}, "raw", wire.Raw("\xa3raw"), []byte("key"), 1)
	if m.String("s") != "text" || m.String("b") != "bytes" || m.String("raw") != "raw" || m.String("i") != "" || m.String("none") != "" {
		t.Error("String")
	}
	if m.Int("i") != 7 || m.Int("u") != 8 || m.Int("f") != 2 || m.Int("s") != 0 || m.Float("f") != 2.5 || m.Float("i") != 7 || m.Int("key") != 1 {
		t.Error("Int or Float")
	}
	if !m.Bool("t") || m.Bool("i") || m.Map("m").Int("k") != 1 || m.Map("s") != nil || !m.Has("l") || m.Has("none") {
		t.Error("Bool, Map or Has")
	}
	if diff := cmp.Diff([]string{"a"}, m.Strings("l")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{"b"}, m.List("ls")); diff != "" || m.Strings("s") != nil {
		t.Error(diff)
	}
	if string(m.Bytes("s")) != "text" || string(m.Bytes("b")) != "bytes" || m.Bytes("i") != nil {
		t.Error("Bytes")
	}
	var none *wire.Map
	if none.Len() != 0 || none.String("x") != "" || none.Keys() != nil || none.Map("x").Map("y") != nil || none.Clone() != nil {
		t.Error("a nil map does not read as empty")
	}
	none.Range(func(_, _ any) bool { t.Error("a nil map has pairs"); return true })
	if b, err := wire.Encode(none); err != nil || string(b) != "\xc0" {
		t.Errorf("nil map packs as %x, %v", b, err)
	}
}

func TestScalars(t *testing.T) {
	ints := map[string]int64{"\x05": 5, "\xff": -1, "\xcc\xff": 255, "\xd1\xff\x00": -256, "\xa13": 3, "\xa4 42\n": 42, "\xc3": 1, "\xcb\x40\x0c\x00\x00\x00\x00\x00\x00": 3, "\xd3\x80\x00\x00\x00\x00\x00\x00\x00": math.MinInt64}
	for b, want := range ints {
		if got, err := wire.Int(wire.Raw(b)); err != nil || got != want {
			t.Errorf("%x: %d, %v", b, got, err)
		}
	}
	for _, b := range []string{"\xc0", "\xa1x", "\x80", "\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00", "\x01\x02", ""} {
		if got, err := wire.Int(wire.Raw(b)); err == nil {
			t.Errorf("%x taken for %d", b, got)
		}
	}
	for _, b := range []string{"", "\xc0", "\xc2", "\x00", "\xa0", "\x80", "\x90", "\xcb\x00\x00\x00\x00\x00\x00\x00\x00", "\xc4\x00"} {
		if wire.Truth(wire.Raw(b)) {
			t.Errorf("%x is true", b)
		}
	}
	for _, b := range []string{"\xc3", "\x01", "\xa10", "\x81\x01\x01", "\x91\xc0", "\xd4\x01\x00", "\xcf\x80\x00\x00\x00\x00\x00\x00\x00"} {
		if !wire.Truth(wire.Raw(b)) {
			t.Errorf("%x is false", b)
		}
	}
}

func TestKinds(t *testing.T) {
	for v, want := range map[any]wire.Kind{
		nil: wire.Nil, true: wire.Boolean, 1: wire.Integer, -1: wire.Integer, 300: wire.Integer, 1.5: wire.Real, "s": wire.Text,
		strings.Repeat("x", 40): wire.Text, wire.Const{Name: "c"}: wire.Extension,
	} {
		if got := wire.KindOf(pack(t, v)); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
	if wire.KindOf(nil) != wire.Invalid || wire.KindOf(wire.Raw{0xc1}) != wire.Invalid || wire.KindOf(wire.Raw{0xc4, 0}) != wire.Bin ||
		wire.KindOf(pack(t, []any{})) != wire.List || wire.KindOf(pack(t, wire.NewMap())) != wire.Dict {
		t.Error("kinds")
	}
}

func TestEncodeRefuses(t *testing.T) {
	type own struct{ A int }
	for name, v := range map[string]any{
		"struct": own{1}, "channel": make(chan int), "map with int keys": map[int]string{1: "a"},
		"late year": time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), "inside": wire.NewMap("a", []any{own{}}),
		"bad encoder": wire.Envelope{},
	} {
		if b, err := wire.Encode(v); err == nil {
			t.Errorf("%s packed as %x", name, b)
		}
	}
	loop := wire.NewMap()
	loop.Set("me", loop)
	if _, err := wire.Encode(loop); !errors.Is(err, wire.ErrTooDeep) {
		t.Errorf("loop: %v", err)
	}
	if _, err := wire.EncodeBus(wire.Raw{0xc1}); !errors.Is(err, wire.ErrBadCode) {
		t.Errorf("bad raw: %v", err)
	}
	if b, err := wire.Encode((*wire.Envelope)(nil)); err != nil || string(b) != "\xc0" {
		t.Errorf("nil encoder packs as %x, %v", b, err)
	}
}

func TestEncoderInside(t *testing.T) {
	ret := wire.Return{ID: "m\xff", JID: "1", Value: pack(t, strings.Repeat("x", 40))}
	onWire, err := wire.Encode([]any{ret})
	if err != nil {
		t.Fatal(err)
	}
	onBus, err := wire.EncodeBus([]any{ret})
	if err != nil {
		t.Fatal(err)
	}
	want, err := wire.ToBus(onWire)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "encoder for the bus", onBus, want)
	if !strings.Contains(string(onBus), "\xc4\x02m\xff") || !strings.Contains(string(onBus), "\xd9\x28xx") {
		t.Errorf("bus rules not kept: %x", onBus)
	}
}

// Long forms, as another packer may write them, become short.
func TestToBusShortens(t *testing.T) {
	long := "\xdf\x00\x00\x00\x02\xdb\x00\x00\x00\x01a\xcf\x00\x00\x00\x00\x00\x00\x00\x01\xd9\x01b\xdd\x00\x00\x00\x02\xd3\xff\xff\xff\xff\xff\xff\xff\xff\xca\x3f\xc0\x00\x00"
	got, err := wire.ToBus([]byte(long))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "shortened", got, []byte("\x82\xa1a\x01\xa1b\x92\xff\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00"))
}

func TestExtensions(t *testing.T) {
	for _, v := range []any{
		time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC),
		wire.Const{Name: "missing", Value: nil},
		wire.Const{Name: "c", Value: []any{int64(1), wire.Const{Name: "d", Value: "x"}}},
		wire.Ext{Type: 5, Data: []byte("abc")},
		wire.Ext{Type: -1, Data: []byte("1234")},
		wire.Ext{Type: 78, Data: []byte("no date")},
		wire.Ext{Type: 79, Data: []byte{0xc1}},
		wire.Ext{Type: 1, Data: make([]byte, 70000)},
		wire.Ext{Type: 1, Data: make([]byte, 300)},
	} {
		got, err := wire.Decode(pack(t, v))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(v, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestWithout(t *testing.T) {
	m := wire.NewMap()
	for i := range 20 {
		m.Set(string(rune('a'+i)), i)
	}
	b := pack(t, m)
	got, err := wire.Without(b, "a", "c", "t", "zz")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"a", "c", "t"} {
		m.Delete(k)
	}
	same(t, "without", got, pack(t, m))
	if got, err := wire.Without(b, "zz"); err != nil || &got[0] != &b[0] {
		t.Error("copied for nothing")
	}
	if got, err := wire.Without(pack(t, wire.NewMap("a", 1)), "a"); err != nil || string(got) != "\x80" {
		t.Errorf("%x %v", got, err)
	}
}

func TestNext(t *testing.T) {
	b := append(pack(t, "one"), pack(t, []any{2})...)
	v, rest, err := wire.Next(b, wire.Limits{})
	if err != nil || string(v) != "\xa3one" {
		t.Fatal(v, err)
	}
	if v, rest, err = wire.Next(rest, wire.Limits{}); err != nil || string(v) != "\x91\x02" || len(rest) != 0 {
		t.Fatal(v, rest, err)
	}
	for i := range pack(t, "one") {
		if _, _, err := wire.Next(b[:i], wire.Limits{}); !errors.Is(err, wire.ErrTruncated) {
			t.Errorf("%d bytes: %v", i, err)
		}
	}
}
