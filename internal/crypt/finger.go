package crypt

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
)

// FingerSum identifies a public key: the SHA-256 of its canonical PEM text, regardless of the
// layout of the text that it was read from. It differs from Salt's fingerprint, which is the
// hash of the text itself ([Fingerprint]). The zero value identifies no key.
type FingerSum [sha256.Size]byte

// SumKey returns the [FingerSum] of a key.
func SumKey(key *rsa.PublicKey) FingerSum { return sha256.Sum256([]byte(PublicPEM(key))) }

// String returns the sum in hex, "" for the zero value.
func (s FingerSum) String() string {
	if s == (FingerSum{}) {
		return ""
	}
	return hex.EncodeToString(s[:])
}

// ParseFinger parses the result of [FingerSum.String].
func ParseFinger(text string) (s FingerSum, ok bool) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(s) {
		return s, false
	}
	copy(s[:], b)
	return s, s.String() == text
}

// Finger returns the [FingerSum] of a key in hex.
func Finger(key *rsa.PublicKey) string { return SumKey(key).String() }

// IsFinger reports whether a text has the form of a [Finger].
func IsFinger(s string) bool {
	_, ok := ParseFinger(s)
	return ok
}
