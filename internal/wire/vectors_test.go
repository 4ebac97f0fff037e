package wire_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// recorded is a decoded value of a recorded file, in wire encoding.
type recorded struct{ wire.Raw }

func (r *recorded) UnmarshalJSON(j []byte) error {
	raw, err := wire.FromJSON(j)
	if err != nil {
		return err
	}
	v, err := wire.Decode(raw)
	if err != nil {
		return err
	}
	if v, err = undoB64(v); err != nil {
		return err
	}
	r.Raw, err = wire.Encode(v)
	return err
}

// undoB64 replaces {"$b64": text} by its bytes.
func undoB64(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case []any:
		for i := range v {
			if v[i], err = undoB64(v[i]); err != nil {
				return nil, err
			}
		}
	case *wire.Map:
		if s := v.String("$b64"); s != "" && v.Len() == 1 {
			return base64.StdEncoding.DecodeString(s)
		}
		for _, k := range v.Keys() {
			val, _ := v.GetKey(k)
			if val, err = undoB64(val); err != nil {
				return nil, err
			}
			v.Set(k, val)
		}
	}
	return v, nil
}

// same compares encoded values and shows both as JSON if they differ.
func same(t testing.TB, what string, got, want []byte) {
	t.Helper()
	if string(got) == string(want) {
		return
	}
	g, _ := wire.ToJSON(got)
	w, _ := wire.ToJSON(want)
	t.Errorf("%s:\n got %x %s\nwant %x %s", what, got, g, want, w)
}

// unpacked converts a decoded value as Salt does: bytes become text.
func unpacked(v any) any {
	switch v := v.(type) {
	case []byte:
		return string(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = unpacked(v[i])
		}
		return list
	case *wire.Map:
		m := wire.NewMap()
		v.Range(func(k, val any) bool {
			m.Set(unpacked(k), unpacked(val))
			return true
		})
		return m
	}
	return v
}

// Every value that Salt packed, by both of its rules, is read as in Salt and encoded to the
// same bytes again.
func TestMsgpackAsSalt(t *testing.T) {
	type packed struct {
		Bytes []byte `json:"bytes"`
		Loads string `json:"loads"`
	}
	var file struct {
		Values []struct {
			Name string `json:"name"`
			Wire packed `json:"wire"`
			IPC  packed `json:"ipc"`
		} `json:"values"`
	}
	vectors.Load(t, "msgpack.json", &file)
	if len(file.Values) < 30 {
		t.Fatalf("only %d values", len(file.Values))
	}
	// Python bytes that are UTF-8: the wire encoding does not distinguish them from text, so
	// ToBus makes them text, in Salt and here.
	bytesAsText := map[string]bool{"bytes": true, "empty bytes": true, "bytes 32": true, "bytes 256": true, "bytes keys": true}
	for _, v := range file.Values {
		t.Run(v.Name, func(t *testing.T) {
			got, err := wire.Decode(v.Wire.Bytes)
			if strings.HasPrefix(v.Wire.Loads, "error") {
				if err == nil {
					t.Fatalf("Salt cannot read this, we read %v", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r := pyfmt.Repr(unpacked(got)); r != v.Wire.Loads {
				t.Errorf("wire read as %s, Salt reads %s", r, v.Wire.Loads)
			}
			again, err := wire.Encode(got)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "packed for the wire", again, v.Wire.Bytes)

			fromBus, err := wire.Decode(v.IPC.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			if r := pyfmt.Repr(unpacked(fromBus)); r != v.IPC.Loads {
				t.Errorf("bus read as %s, Salt reads %s", r, v.IPC.Loads)
			}
			toWire, err := wire.ToWire(v.IPC.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "bus rewritten for the wire", toWire, v.Wire.Bytes)

			if v.Name != "bytes keys" { // a key is text if it can be
				again, err = wire.EncodeBus(fromBus)
				if err != nil {
					t.Fatal(err)
				}
				same(t, "packed for the bus", again, v.IPC.Bytes)
			}
			toBus, err := wire.ToBus(v.Wire.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			want := []byte(v.IPC.Bytes)
			if bytesAsText[v.Name] {
				if want, err = wire.EncodeBus(got); err != nil {
					t.Fatal(err)
				}
			}
			same(t, "wire rewritten for the bus", toBus, want)
		})
	}
}

// Go values are encoded to Salt's bytes.
func TestEncodeGoValues(t *testing.T) {
	var file struct {
		Values []struct {
			Name string                 `json:"name"`
			Wire struct{ Bytes []byte } `json:"wire"`
			IPC  struct{ Bytes []byte } `json:"ipc"`
		} `json:"values"`
	}
	vectors.Load(t, "msgpack.json", &file)
	wants := map[string][2][]byte{}
	for _, v := range file.Values {
		wants[v.Name] = [2][]byte{v.Wire.Bytes, v.IPC.Bytes}
	}
	x := func(n int) string { return strings.Repeat("x", n) }
	values := map[string]any{
		"none": nil, "true": true, "false": false, "zero": 0, "neg1": int8(-1), "127": uint8(127),
		"128": int64(128), "65536": uint32(65536), "int64 min": int64(-1 << 63), "uint64 max": ^uint64(0),
		"float": 1.5, "empty str": "", "str": "salt", "unicode": "héllo 中文 🧂", "str 31": x(31), "str 32": x(32),
		"str 255": x(255), "str 256": x(256), "bytes": []byte("salt"), "bytes not utf8": []byte("\xff\xfe\x00"),
		"empty bytes": []byte{}, "bytes 32": []byte(strings.Repeat("y", 32)),
		"list": []any{1, "a", nil}, "tuple": [2]int{1, 2}, "empty list": []string{}, "empty map": map[string]any{},
		"int keys":       wire.NewMap(1, "a", 2, wire.NewMap(3, "b")),
		"none key":       wire.NewMap(nil, 1),
		"ordered":        wire.NewMap("z", 1, "a", 2),
		"datetime":       time.Date(2024, 1, 2, 3, 4, 5, 678901000, time.UTC),
		"date":           time.Date(2024, 1, 2, 2, 0, 0, 0, time.FixedZone("", 7200)),
		"immutable dict": map[string]int{"a": 1},
		"kwarg":          []map[string]any{{"__kwarg__": true, "k": "v"}},
		"list of 16":     []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	}
	for name, v := range values {
		want, ok := wants[name]
		if !ok {
			t.Fatalf("no recorded value %q", name)
		}
		got, err := wire.Encode(v)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		same(t, name+" for the wire", got, want[0])
		if got, err = wire.EncodeBus(v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		same(t, name+" for the bus", got, want[1])
	}
	for name, j := range map[string]string{
		"beyond uint64": "18446744073709551616", "jid as int": "20240101010101010101",
		"nested beyond uint64": `{"a": [1180591620717411303424]}`,
	} {
		got, err := wire.FromJSON([]byte(j))
		if err != nil {
			t.Fatal(err)
		}
		same(t, name, got, wants[name][0])
	}
}

func TestTokenFilesAsSalt(t *testing.T) {
	type token struct {
		File []byte   `json:"file"`
		Data recorded `json:"data"`
	}
	var file struct {
		token
		WithGroups token `json:"with_groups"`
	}
	vectors.Load(t, "tokens.json", &file)
	for _, tok := range []token{file.token, file.WithGroups} {
		same(t, "token", tok.Data.Raw, tok.File)
		m, err := wire.DecodeMap(tok.File)
		if err != nil {
			t.Fatal(err)
		}
		if m.Float("expire") != 1700043200.25 || m.String("eauth") != "auto" {
			t.Errorf("token read as %#v", m)
		}
		again, err := wire.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "token packed again", again, tok.File)
	}
}

// The bytes that minion_sign_messages signs, recorded from two live minions.
func TestSignedBytesAsSalt(t *testing.T) {
	var cases []struct {
		From   string   `json:"from"`
		Load   recorded `json:"load"`
		Signed []byte   `json:"signed_bytes"`
	}
	vectors.Load(t, "signed.json", &cases)
	if len(cases) != 2 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		got, err := wire.SignedBytes(c.Load.Raw)
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.From, got, c.Signed)

		ret, err := wire.ParseReturn(c.Load.Raw)
		if err != nil {
			t.Fatal(err)
		}
		if got, err = wire.SignedBytes(ret.Full); err != nil {
			t.Fatal(err)
		}
		same(t, c.From+" out of a parsed return", got, c.Signed)
		if diff := cmp.Diff([]string{"_return", "m1", "20240102030405678904"}, []string{ret.Cmd, ret.ID, ret.JID}); diff != "" {
			t.Error(diff)
		}
	}
}
