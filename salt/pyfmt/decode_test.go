package pyfmt

import "testing"

// The results are those of Python 3.
func TestDecode(t *testing.T) {
	for data, want := range map[string]string{
		"plain ä":          "plain ä",
		"\xe4\xff":         "\ufffd\ufffd",
		"a\xe2\x82b":       "a\ufffdb",
		"\xf0\x9f\x98":     "\ufffd",
		"\xc0\xaf":         "\ufffd\ufffd",
		"\xed\xa0\x80":     "\ufffd\ufffd\ufffd",
		"\xf4\x90\x80\x80": "\ufffd\ufffd\ufffd\ufffd",
		"\xe2\x82\xac\xe2": "€\ufffd",
		"\x80":             "\ufffd",
		"\xe0\x80\x80":     "\ufffd\ufffd\ufffd",
		"\ufffd\xf0\x9f":   "\ufffd\ufffd",
		"":                 "",
	} {
		if got := Decode([]byte(data)); got != want {
			t.Errorf("%q: %q, want %q", data, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("a\xe2\x82b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := Decode(data); len(got) > 3*len(data) {
			t.Errorf("%q: %q", data, got)
		}
	})
}
