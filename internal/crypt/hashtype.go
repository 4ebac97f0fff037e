package crypt

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"hash"
)

// ErrHashType is wrapped when a hash_type is unknown.
var ErrHashType = errors.New("unknown hash_type")

var hashes = map[string]func() hash.Hash{
	"": sha256.New, "md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224,
	"sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New,
}

// NewHash returns a hash of the type name; "" means sha256.
func NewHash(name string) (hash.Hash, error) {
	newHash, ok := hashes[name]
	if !ok {
		return nil, fmt.Errorf("%w %q: give md5, sha1, sha224, sha256, sha384 or sha512", ErrHashType, name)
	}
	return newHash(), nil
}

// HexHash returns the hash of a text in hex digits.
func HexHash(name, text string) (string, error) {
	h, err := NewHash(name)
	if err != nil {
		return "", err
	}
	h.Write([]byte(text))
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
