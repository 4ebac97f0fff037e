package wire

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
)

// NonceSize is the length of a nonce in characters.
const NonceSize = 32

// NewNonce returns a random nonce: 128 bits as lower-case hex digits.
func NewNonce() string {
	var b [NonceSize / 2]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	return hex.EncodeToString(b[:])
}

// Nonce reads the nonce of a request. It must be 32 lower-case hex digits, the form in which
// all peers of Salt send it (uuid4().hex). A master signs the nonces of strangers, so no other
// data may fit into one (docs/design/signatures.md).
func Nonce(r Raw) (string, error) {
	s, err := Str(r)
	if err != nil {
		return "", err
	}
	//mutant:nonce-form
	if len(s) != NonceSize {
		return "", fmt.Errorf("nonce of %d bytes, want %d hex digits", len(s), NonceSize)
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return "", fmt.Errorf("nonce has the character %q, want %d hex digits", c, NonceSize)
		}
	}
	return s, nil
}
