package crypt

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"hash"
)

// Encrypted PKCS#8 as OpenSSL and Python's cryptography write it: PBES2 with
// PBKDF2 and AES in CBC mode (RFC 8018). The standard library reads only the
// plain form.

var (
	oidPBES2  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}
	oidPBKDF2 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 12}

	prfs = []struct {
		oid asn1.ObjectIdentifier
		new func() hash.Hash
	}{
		{asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 7}, sha1.New},
		{asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 8}, sha256.New224},
		{asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 9}, sha256.New},
		{asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 10}, sha512.New384},
		{asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 11}, sha512.New},
	}
	ciphers = []struct {
		oid  asn1.ObjectIdentifier
		size int
	}{
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 2}, 16},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 22}, 24},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 42}, 32},
	}
)

const (
	writeIterations = 600_000    // OWASP's figure for PBKDF2-SHA256, about 0.2 s
	maxIterations   = 20_000_000 // a damaged file must not hang the start for hours
)

type encryptedKey struct {
	Algo pkix.AlgorithmIdentifier
	Data []byte
}

type pbes2 struct {
	KDF, Cipher pkix.AlgorithmIdentifier
}

type kdfParams struct {
	Salt       []byte
	Iterations int
	KeyLength  int                      `asn1:"optional"`
	PRF        pkix.AlgorithmIdentifier `asn1:"optional"`
}

func openPKCS8(der []byte, pass string) ([]byte, error) {
	if pass == "" {
		return nil, fmt.Errorf("%w: the key is encrypted, set key_pass", ErrPassphrase)
	}
	var outer encryptedKey
	var scheme pbes2
	var kdf kdfParams
	if err := unmarshal(der, &outer, "encrypted key"); err != nil {
		return nil, err
	}
	if !outer.Algo.Algorithm.Equal(oidPBES2) {
		return nil, unsupported("scheme", outer.Algo.Algorithm)
	}
	if err := unmarshal(outer.Algo.Parameters.FullBytes, &scheme, "encryption scheme"); err != nil {
		return nil, err
	}
	if !scheme.KDF.Algorithm.Equal(oidPBKDF2) {
		return nil, unsupported("key derivation", scheme.KDF.Algorithm)
	}
	if err := unmarshal(scheme.KDF.Parameters.FullBytes, &kdf, "key derivation"); err != nil {
		return nil, err
	}
	if kdf.Iterations < 1 || kdf.Iterations > maxIterations {
		return nil, fmt.Errorf("%w: %d iterations of pbkdf2, 1 to %d are accepted", ErrPEM, kdf.Iterations, maxIterations)
	}
	newHash := sha1.New // the default of RFC 8018
	if len(kdf.PRF.Algorithm) > 0 {
		newHash = nil
		for _, p := range prfs {
			if p.oid.Equal(kdf.PRF.Algorithm) {
				newHash = p.new
			}
		}
		if newHash == nil {
			return nil, unsupported("pseudorandom function", kdf.PRF.Algorithm)
		}
	}
	size := 0
	for _, c := range ciphers {
		if c.oid.Equal(scheme.Cipher.Algorithm) {
			size = c.size
		}
	}
	if size == 0 {
		return nil, unsupported("cipher", scheme.Cipher.Algorithm)
	}
	var iv []byte
	if err := unmarshal(scheme.Cipher.Parameters.FullBytes, &iv, "initialisation vector"); err != nil {
		return nil, err
	}
	if len(iv) != aes.BlockSize || len(outer.Data) == 0 || len(outer.Data)%aes.BlockSize != 0 {
		return nil, fmt.Errorf("%w: encrypted part is cut short", ErrPEM)
	}
	key, err := pbkdf2.Key(newHash, pass, kdf.Salt, kdf.Iterations, size)
	if err != nil {
		return nil, fmt.Errorf("derive key from passphrase: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive key from passphrase: %w", err)
	}
	plain := make([]byte, len(outer.Data))
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(plain, outer.Data)
	plain, ok := unpad(plain)
	if !ok {
		return nil, ErrPassphrase
	}
	return plain, nil
}

func sealPKCS8(der []byte, pass string, iterations int) ([]byte, error) {
	salt, iv := make([]byte, 16), make([]byte, aes.BlockSize)
	rand.Read(salt) // never fails: the runtime ends the process instead
	rand.Read(iv)
	key, err := pbkdf2.Key(sha256.New, pass, salt, iterations, 32)
	if err != nil {
		return nil, fmt.Errorf("derive key from passphrase: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive key from passphrase: %w", err)
	}
	data := pad(append([]byte(nil), der...))
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(data, data)

	kdf := kdfParams{Salt: salt, Iterations: iterations, PRF: pkix.AlgorithmIdentifier{Algorithm: prfs[2].oid, Parameters: asn1.NullRawValue}}
	var scheme pbes2
	if scheme.KDF, err = algorithm(oidPBKDF2, kdf); err != nil {
		return nil, err
	}
	if scheme.Cipher, err = algorithm(ciphers[2].oid, iv); err != nil {
		return nil, err
	}
	outer := encryptedKey{Data: data}
	if outer.Algo, err = algorithm(oidPBES2, scheme); err != nil {
		return nil, err
	}
	return asn1.Marshal(outer)
}

func algorithm(oid asn1.ObjectIdentifier, params any) (pkix.AlgorithmIdentifier, error) {
	b, err := asn1.Marshal(params)
	return pkix.AlgorithmIdentifier{Algorithm: oid, Parameters: asn1.RawValue{FullBytes: b}}, err
}

func unmarshal(der []byte, v any, what string) error {
	if rest, err := asn1.Unmarshal(der, v); err != nil {
		return fmt.Errorf("%w: read %s: %w", ErrPEM, what, err)
	} else if len(rest) > 0 {
		return fmt.Errorf("%w: read %s: %d bytes too many", ErrPEM, what, len(rest))
	}
	return nil
}

func unsupported(what string, oid asn1.ObjectIdentifier) error {
	return fmt.Errorf("%w: %s %s is not supported; rewrite the file with "+
		"`openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256`", ErrPEM, what, oid)
}

func pad(b []byte) []byte {
	n := aes.BlockSize - len(b)%aes.BlockSize
	for range n {
		b = append(b, byte(n))
	}
	return b
}

func unpad(b []byte) ([]byte, bool) {
	if len(b) == 0 {
		return nil, false
	}
	n := int(b[len(b)-1])
	if n < 1 || n > aes.BlockSize || n > len(b) {
		return nil, false
	}
	for _, c := range b[len(b)-n:] {
		if int(c) != n {
			return nil, false
		}
	}
	return b[:len(b)-n], true
}
