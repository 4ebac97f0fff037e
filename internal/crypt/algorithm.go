package crypt

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha1" // OAEP-SHA1 and PKCS1v15-SHA1 are the wire's defaults
	_ "crypto/sha256"
	"errors"
	"fmt"
)

// Names of the algorithms in the fields enc_algo and sig_algo. Salt knows no others: there is
// no SHA-256 variant on the wire.
const (
	OAEPSHA1    = "OAEP-SHA1"       // default of enc_algo
	OAEPSHA224  = "OAEP-SHA224"     // since 3006.9
	PKCS1SHA1   = "PKCS1v15-SHA1"   // default of sig_algo
	PKCS1SHA224 = "PKCS1v15-SHA224" // since 3006.9
)

// ErrBadAlgorithm is returned for an unknown algorithm name.
var ErrBadAlgorithm = errors.New("unknown algorithm")

// ErrSignature is returned when a signature does not match the data and key.
var ErrSignature = errors.New("signature does not verify")

// ValidEncryption reports whether alg names an encryption algorithm.
func ValidEncryption(alg string) bool { return alg == OAEPSHA1 || alg == OAEPSHA224 }

// ValidSigning reports whether alg names a signing algorithm.
func ValidSigning(alg string) bool { return alg == PKCS1SHA1 || alg == PKCS1SHA224 }

func oaepHash(alg string) (crypto.Hash, error) {
	switch alg {
	case OAEPSHA1:
		return crypto.SHA1, nil
	case OAEPSHA224:
		return crypto.SHA224, nil
	}
	return 0, fmt.Errorf("%w %q for encryption, known are %s and %s", ErrBadAlgorithm, alg, OAEPSHA1, OAEPSHA224)
}

func pkcs1Hash(alg string) (crypto.Hash, error) {
	switch alg {
	case PKCS1SHA1:
		return crypto.SHA1, nil
	case PKCS1SHA224:
		return crypto.SHA224, nil
	}
	return 0, fmt.Errorf("%w %q for signing, known are %s and %s", ErrBadAlgorithm, alg, PKCS1SHA1, PKCS1SHA224)
}

func digest(h crypto.Hash, data []byte) []byte {
	w := h.New()
	w.Write(data)
	return w.Sum(nil)
}

// Encrypt encrypts data with RSAES-OAEP, an empty label and MGF1 of the same hash (Salt wire
// reference §5.1). The maximum length of data is that of the modulus less two hashes and two
// bytes.
func Encrypt(alg string, pub *rsa.PublicKey, data []byte) ([]byte, error) {
	h, err := oaepHash(alg)
	if err != nil {
		return nil, err
	}
	out, err := rsa.EncryptOAEP(h.New(), rand.Reader, pub, data, nil)
	if err != nil {
		return nil, fmt.Errorf("encrypt %d bytes with %s: %w", len(data), alg, err)
	}
	return out, nil
}

// Decrypt is the inverse of [Encrypt].
func Decrypt(alg string, priv *rsa.PrivateKey, data []byte) ([]byte, error) {
	h, err := oaepHash(alg)
	if err != nil {
		return nil, err
	}
	out, err := rsa.DecryptOAEP(h.New(), nil, priv, data, nil)
	if err != nil {
		return nil, fmt.Errorf("decrypt %d bytes with %s: %w", len(data), alg, err)
	}
	return out, nil
}

// Sign signs data with RSASSA-PKCS1-v1_5 (Salt wire reference §5.1).
func Sign(alg string, priv *rsa.PrivateKey, data []byte) ([]byte, error) {
	h, err := pkcs1Hash(alg)
	if err != nil {
		return nil, err
	}
	out, err := rsa.SignPKCS1v15(nil, priv, h, digest(h, data))
	if err != nil {
		return nil, fmt.Errorf("sign with %s: %w", alg, err)
	}
	return out, nil
}

// Verify checks a signature made by [Sign]. It returns [ErrSignature] for a wrong one.
func Verify(alg string, pub *rsa.PublicKey, data, sig []byte) error {
	h, err := pkcs1Hash(alg)
	if err != nil {
		return err
	}
	if err := rsa.VerifyPKCS1v15(pub, h, digest(h, data), sig); err != nil {
		return fmt.Errorf("%w (%s, %d byte signature): %w", ErrSignature, alg, len(sig), err)
	}
	return nil
}
