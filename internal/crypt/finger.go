package crypt

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
)

// FingerSum names a public key: the SHA-256 of its canonical PEM text, however the text
// that it was read from is laid out. It is not Salt's fingerprint, which is that of the
// text ([Fingerprint]). The zero value names no key.
type FingerSum [sha256.Size]byte

// SumKey makes the [FingerSum] of a key.
func SumKey(key *rsa.PublicKey) FingerSum { return sha256.Sum256([]byte(PublicPEM(key))) }

// String is the sum in hex, "" for that of no key.
func (s FingerSum) String() string {
	if s == (FingerSum{}) {
		return ""
	}
	return hex.EncodeToString(s[:])
}

// ParseFinger reads what [FingerSum.String] gives.
func ParseFinger(text string) (s FingerSum, ok bool) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(s) {
		return s, false
	}
	copy(s[:], b)
	return s, s.String() == text
}

// Finger is the [FingerSum] of a key in hex.
func Finger(key *rsa.PublicKey) string { return SumKey(key).String() }

// IsFinger tells whether a text has the form of a [Finger].
func IsFinger(s string) bool {
	_, ok := ParseFinger(s)
	return ok
}
