package crypt

import (
	"errors"
	"testing"
)

func TestNew(t *testing.T) {
	for name, size := range map[string]int{"": 32, "md5": 16, "sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64} {
		if h, err := NewHash(name); err != nil || h.Size() != size {
			t.Errorf("NewHash(%q) = %v, %v, want %d bytes", name, h, err, size)
		}
	}
	if _, err := HexHash("crc", "x"); !errors.Is(err, ErrHashType) {
		t.Errorf("err = %v, want ErrHashType", err)
	}
}
