package batchstate

import (
	"bytes"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// started is a batch of three minions, of which two run.
func started(t testing.TB) *State {
	s := New([]string{"a", "b", "c"}, 2, time.Now())
	s.JID, s.Fun, s.Arg, s.Kwargs = "20260102030405678901", raw(t, "test.ping"), raw(t, []any{}), raw(t, wire.NewMap())
	s.Tgt, s.TgtType, s.User, s.Timeout, s.Gather = "*", "glob", "root", 5, 10
	s.Progress(Outcomes{}, time.Now())
	return s
}

func raw(t testing.TB, v any) wire.Raw {
	t.Helper()
	b, err := wire.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestState_EncodedAsRead(t *testing.T) {
	s := started(t)
	s.Done["d"], s.Failed["e"], s.Wait = 3, "timeout", []float64{1767323045.5}
	s.By = By{Owner: "root", Eauth: "pam", Rules: []any{"test.*"}, Extra: raw(t, wire.NewMap("metadata", "x"))}
	b, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := back.Encode()
	if err != nil || !bytes.Equal(b, again) {
		t.Errorf("%q became %q: %v", b, again, err)
	}
}

// Salt's manager keeps whole returns; its retcode may be a map.
func TestState_ReturnsOfSalt(t *testing.T) {
	m, err := wire.DecodeMap(mustEncode(t, started(t)))
	if err != nil {
		t.Fatal(err)
	}
	m.Set("done", wire.NewMap("a", wire.NewMap("ret", true, "retcode", 0), "b", wire.NewMap("ret", true, "retcode", wire.NewMap("x", 0, "y", 7))))
	m.Set("timeout", nil)
	st, err := Decode(raw(t, m))
	if err != nil || st.Done["a"] != 0 || st.Done["b"] != 7 || len(st.Done) != 2 {
		t.Errorf("%+v, %v", st, err)
	}
}

func mustEncode(t testing.TB, s *State) []byte {
	b, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func FuzzState(f *testing.F) {
	f.Add([]byte("\x80"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Decode(b)
		if err != nil {
			return
		}
		first, err := s.Encode()
		if err != nil {
			return // what stands in it in another form than Salt's has no place in a file
		}
		back, err := Decode(first)
		if err != nil {
			t.Fatalf("%q is not read back: %v", first, err)
		}
		if len(back.All) != len(s.All) || len(back.Active) != len(s.Active) || back.Halted != s.Halted {
			t.Errorf("%+v became %+v", s, back)
		}
	})
}
