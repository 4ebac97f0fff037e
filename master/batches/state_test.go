package batches

import (
	"bytes"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

func TestState_EncodedAsRead(t *testing.T) {
	s := salts(t, driverMaster)
	s.Done["d"], s.Failed["e"], s.Wait = 3, "timeout", []float64{1767323045.5}
	s.By = By{Owner: "root", Eauth: "pam", Rules: []any{"test.*"}, Extra: raw(t, wire.NewMap("metadata", "x"))}
	b, err := s.encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := decode(b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := back.encode()
	if err != nil || !bytes.Equal(b, again) {
		t.Errorf("%q became %q: %v", b, again, err)
	}
}

// Salt's manager keeps whole returns; its retcode may be a map.
func TestState_ReturnsOfSalt(t *testing.T) {
	m, err := wire.DecodeMap(mustEncode(t, salts(t, driverMaster)))
	if err != nil {
		t.Fatal(err)
	}
	m.Set("done", wire.NewMap("a", wire.NewMap("ret", true, "retcode", 0), "b", wire.NewMap("ret", true, "retcode", wire.NewMap("x", 0, "y", 7))))
	m.Set("timeout", nil)
	st, err := decode(raw(t, m))
	if err != nil || st.Done["a"] != 0 || st.Done["b"] != 7 || len(st.Done) != 2 {
		t.Errorf("%+v, %v", st, err)
	}
}

func mustEncode(t testing.TB, s *State) []byte {
	b, err := s.encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func FuzzState(f *testing.F) {
	f.Add([]byte("\x80"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decode(b)
		if err != nil {
			return
		}
		first, err := s.encode()
		if err != nil {
			return // what stands in it in another form than Salt's has no place in a file
		}
		back, err := decode(first)
		if err != nil {
			t.Fatalf("%q is not read back: %v", first, err)
		}
		if len(back.All) != len(s.All) || len(back.Active) != len(s.Active) || back.Halted != s.Halted {
			t.Errorf("%+v became %+v", s, back)
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("\x91\xb420260102030405678901"))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = decodeIndex(b) })
}
