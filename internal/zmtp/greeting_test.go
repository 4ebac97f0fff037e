package zmtp

import (
	"errors"
	"strings"
	"testing"
)

func TestGreeting(t *testing.T) {
	with := func(at int, b ...byte) []byte {
		g := greeting(1)
		copy(g[at:], b)
		return g
	}
	for _, c := range []struct {
		name  string
		bytes []byte
		part  string // of the error; "" means no error
	}{
		{"3.0", greeting(0), ""},
		{"3.1", greeting(1), ""},
		{"4.7", with(10, 4, 7), ""},
		{"padding is not ours", with(1, 1, 2, 3, 4, 5, 6, 7, 8), ""},
		{"as-server is not ours to judge", with(32, 1), ""},
		{"HTTP", []byte("G"), "does not speak ZMTP"},
		{"ZMTP 1 by its length", with(9, 0), "tenth byte"},
		{"ZMTP 2", with(10, 1), "version 1"},
		{"CURVE", with(12, []byte("CURVE")...), `"CURVE"`},
		{"NULL with a tail", with(16, 'x'), `"NULLx"`},
		{"nothing yet", nil, ""},
		{"so far so good", greeting(1)[:11], ""},
	} {
		err := checkGreeting(c.bytes)
		if c.part == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		} else if !errors.Is(err, ErrGreeting) || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%s: error %v does not say %s", c.name, err, c.part)
		}
	}
	if greetingMinor(with(10, 3, 0)) != 0 || greetingMinor(with(10, 3, 1)) != 1 || greetingMinor(with(10, 4, 0)) < 1 {
		t.Error("minor version misread")
	}
}

func FuzzGreeting(f *testing.F) {
	f.Add(greeting(0))
	f.Add(greeting(1))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		whole := checkGreeting(b)
		// A prefix of a valid greeting is valid, however it arrives.
		if whole == nil {
			for i := range b {
				if err := checkGreeting(b[:i]); err != nil {
					t.Fatalf("first %d bytes: %v, whole is fine", i, err)
				}
			}
		}
		_, err := handshake(newScript(7, b[:min(len(b), greetingSize)]), limitsForTest(), nil, ready{socketType: "ROUTER"}, true)
		if err == nil {
			t.Fatal("a handshake out of a greeting alone")
		}
	})
}

func limitsForTest() *Limits {
	l := Limits{}.withDefaults()
	return &l
}
