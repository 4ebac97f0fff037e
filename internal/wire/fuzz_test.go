package wire_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// seed adds real loads, hostile bytes and odd values to a fuzz target.
func seed(f *testing.F) {
	f.Helper()
	for _, v := range []any{
		nil, 1, -5, "text", []byte("x"), 1.5, stateReturn(1),
		[]any{wire.NewMap(1, 2)},
		stamp,
		wire.Const{Name: "a", Value: 1},
		wire.NewMap("enc", "aes", "load", "cipher", "version", 3, "id", "m1"),
		wire.NewMap("cmd", "publish", "tgt", "*", "fun", "test.ping", "arg", []any{}, "kwargs", wire.NewMap("token", "x")),
		wire.NewMap("fun", "f", "arg", []any{}, "tgt", "*", "jid", "1", "ret", "", "serial", 1),
		wire.NewMap("id", "m", "tag", "t", "data", 1), wire.NewMap("id", "m", "events", []any{wire.NewMap("tag", "t")}),
		wire.NewMap("load", []any{wire.NewMap("id", "s", "jid", "1", "return", wire.NewMap("m", wire.NewMap("return", 1)))}),
	} {
		b, err := wire.Encode(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, s := range []string{"", "\xc1", "\xdd\xff\xff\xff\xff", "\x91\x91\x91", "\xc4\x01\xff", "\xd9\x01a", "\x81\x90\x01", "\xc7\x03\x4f\x92\xa1c"} {
		f.Add([]byte(s))
	}
}

// No decoder panics, and none accepts bytes that Scan rejects.
func FuzzDecoders(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		scan := wire.Scan(b, wire.Limits{})
		for name, decode := range decoders {
			if err := decode(b); err == nil && scan != nil && name != "Next" && !(name == "EncodeBus" && len(b) == 0) {
				t.Errorf("%s takes what Scan refuses: %v", name, scan)
			}
		}
	})
}

// Decoding and encoding again gives the shortest form of the same value, by both rules, and the
// same result as rewriting without decoding.
func FuzzDecode(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := wire.Decode(b)
		if err != nil {
			return
		}
		onWire, err := wire.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := wire.Decode(onWire)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := wire.Encode(again); err != nil || !bytes.Equal(twice, onWire) {
			t.Errorf("packing is not stable: %x, %x, %v", onWire, twice, err)
		}
		flat, err := wire.ToWire(b)
		if err != nil {
			t.Fatal(err)
		}
		w, err := wire.Decode(flat)
		if err != nil {
			t.Fatal(err)
		}
		if other, err := wire.Encode(w); err != nil || !bytes.Equal(other, onWire) {
			t.Errorf("rewritten %x, decoded and packed %x, %v", other, onWire, err)
		}
	})
}

func FuzzTranscode(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		bus, err := wire.ToBus(b)
		if err != nil {
			return
		}
		onWire, err := wire.ToWire(bus)
		if err != nil {
			t.Fatalf("bus form cannot be read: %v", err)
		}
		if direct, err := wire.ToWire(b); err != nil || !bytes.Equal(direct, onWire) {
			t.Errorf("by way of the bus %x, directly %x, %v", onWire, direct, err)
		}
		if back, err := wire.ToBus(onWire); err != nil || !bytes.Equal(back, bus) {
			t.Errorf("bus %x, again %x, %v", bus, back, err)
		}
	})
}

func FuzzToJSON(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		j, err := wire.ToJSON(b)
		if err != nil {
			if wire.Scan(b, wire.Limits{}) == nil && !errors.Is(err, wire.ErrKey) {
				t.Fatal(err)
			}
			return
		}
		back, err := wire.FromJSON(j)
		if err != nil {
			if errors.Is(err, wire.ErrTooLarge) {
				return
			}
			// Keys that are lists or maps can be written but not read.
			if _, derr := wire.Decode(b); errors.Is(derr, wire.ErrKey) {
				return
			}
			t.Fatalf("%s: %v", j, err)
		}
		if _, derr := wire.Decode(b); errors.Is(derr, wire.ErrKey) {
			return
		}
		want, err := wire.ToWire(b)
		if err != nil {
			t.Fatal(err)
		}
		if j2, err := wire.ToJSON(back); err != nil || !bytes.Equal(j, j2) {
			t.Errorf("JSON %s, again %s, %v", j, j2, err)
		}
		if !bytes.Equal(back, want) && !bytes.Contains(j, []byte("NaN")) {
			t.Errorf("%s: back %x, want %x", j, back, want)
		}
	})
}

func FuzzFromJSON(f *testing.F) {
	for _, s := range []string{`{"a": [1, 2.5, null, "x\udcff"]}`, `{"$map": [[1, 2]]}`, `{"$ext": [78, "x"]}`, `{"$$ext": 1}`, "NaN", `"\ud83e\uddc2"`, "[[[]]]", "1e5", "-0"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, j []byte) {
		b, err := wire.FromJSON(j)
		if err != nil {
			return
		}
		again, err := wire.ToJSON(b)
		if err != nil {
			t.Fatal(err)
		}
		b2, err := wire.FromJSON(again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if !bytes.Equal(b, b2) {
			t.Errorf("%s gives %x, written %s gives %x", j, b, again, b2)
		}
	})
}

// A typed load that was read is encoded to a load that reads the same.
func FuzzTypedLoads(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		stable(t, b, func(r wire.Raw) (wire.Envelope, error) { return wire.ParseEnvelope(r) })
		stable(t, b, wire.ParseReturn)
		stable(t, b, wire.ParsePublishLoad)
		stable(t, b, wire.ParsePublication)
		stable(t, b, wire.ParseMinionEvent)
		stable(t, b, wire.ParseSyndicReturn)
	})
}

func stable[T wire.Encoder](t *testing.T, b []byte, parse func(wire.Raw) (T, error)) {
	t.Helper()
	v, err := parse(b)
	if err != nil {
		return
	}
	once, err := v.Encode()
	if err != nil {
		t.Fatalf("%T: %v", v, err)
	}
	w, err := parse(once)
	if err != nil {
		t.Fatalf("%T packed to %x, which cannot be read: %v", v, once, err)
	}
	twice, err := w.Encode()
	if err != nil || !bytes.Equal(once, twice) {
		t.Errorf("%T: %x, then %x, %v", v, once, twice, err)
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add([]byte("salt/auth\n\n\x81\xa6_stamp\xba2026-11-21T00:00:07.279616"))
	f.Add([]byte("t\n\n\x80"))
	f.Fuzz(func(t *testing.T, b []byte) {
		tag, data, err := wire.ParseEvent(b)
		if err != nil {
			return
		}
		if !bytes.Equal(wire.EventBytes(tag, data), b) {
			t.Errorf("%x is not the same again", b)
		}
		if _, _, _, err := wire.SplitStamp(data); err != nil {
			t.Error(err)
		}
	})
}
