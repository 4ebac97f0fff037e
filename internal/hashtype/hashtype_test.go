package hashtype

import (
	"errors"
	"testing"
)

func TestNew(t *testing.T) {
	for name, size := range map[string]int{"": 32, "md5": 16, "sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64} {
		if h, err := New(name); err != nil || h.Size() != size {
			t.Errorf("New(%q) = %v, %v, want %d bytes", name, h, err, size)
		}
	}
	if _, err := Hex("crc", "x"); !errors.Is(err, ErrUnknown) {
		t.Errorf("err = %v, want ErrUnknown", err)
	}
}
