package crypt

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// MaxKeyBits bounds the keys accepted from files and peers: beyond it a single signature check
// takes seconds, which a stranger must not be able to cause.
const MaxKeyBits = 16384

// Sentinels of the PEM readers.
var (
	ErrPEM        = errors.New("not a pem key")
	ErrPassphrase = errors.New("passphrase missing or wrong")
)

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// CleanPEM converts line ends to LF and removes white space around the text. Two key texts are
// the same key to Salt (since 3006.9) if their cleaned forms are equal.
func CleanPEM(text string) string {
	return lineEnds.Replace(strings.TrimSpace(text))
}

// errNoBlock is an [ErrPEM] for a file that is empty, cut off, or not PEM.
var errNoBlock = fmt.Errorf("%w: no BEGIN and END lines around base64 text", ErrPEM)

// PublicPEM returns the SubjectPublicKeyInfo form `BEGIN PUBLIC KEY` with a final newline, as
// Salt writes it to .pub files.
func PublicPEM(pub *rsa.PublicKey) string {
	der, err := x509.MarshalPKIXPublicKey(pub)
	if err != nil { // only an unknown key type fails, and this is an RSA key
		panic(fmt.Sprintf("crypt: marshal rsa public key: %v", err))
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// ParsePublicPEM parses `BEGIN PUBLIC KEY` and `BEGIN RSA PUBLIC KEY`, with any line ends, with
// or without a final newline. The second heading may precede either encoding, because some Salt
// builds use it for SubjectPublicKeyInfo.
func ParsePublicPEM(text string) (*rsa.PublicKey, error) {
	block, _ := pem.Decode([]byte(dropBlankLines(text)))
	if block == nil {
		return nil, fmt.Errorf("read public key: %w", errNoBlock)
	}
	if block.Type != "PUBLIC KEY" && block.Type != "RSA PUBLIC KEY" {
		return nil, fmt.Errorf("read public key: %w: it holds a %s", ErrPEM, block.Type)
	}
	var key any
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		pkcs1, err1 := x509.ParsePKCS1PublicKey(block.Bytes)
		if err1 != nil {
			return nil, fmt.Errorf("read public key: %w: %w", ErrPEM, err)
		}
		key = pkcs1
	}
	pub, ok := key.(*rsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("read public key: %w: it is a %T, need an rsa key", ErrPEM, key)
	}
	if err := checkPublic(pub); err != nil {
		return nil, fmt.Errorf("read public key: %w", err)
	}
	return pub, nil
}

func checkPublic(pub *rsa.PublicKey) error {
	if n := pub.N.BitLen(); n > MaxKeyBits {
		return fmt.Errorf("%w: %d bits, at most %d are accepted", ErrPEM, n, MaxKeyBits)
	}
	if pub.N.Bit(0) == 0 || pub.E&1 == 0 || pub.E < 3 {
		return fmt.Errorf("%w: modulus and exponent must be odd numbers", ErrPEM)
	}
	return nil
}

// dropBlankLines prepares the text for encoding/pem, which interprets an empty line after BEGIN
// as the end of a header.
func dropBlankLines(text string) string {
	clean := CleanPEM(text)
	if !strings.Contains(clean, "\n\n") || strings.Contains(clean, ": ") {
		return clean + "\n"
	}
	var b strings.Builder
	for line := range strings.SplitSeq(clean, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// ParsePrivatePEM parses PKCS#1 and PKCS#8 private keys, unencrypted or encrypted with pass:
// PKCS#1 in OpenSSL's old form (`Proc-Type: 4,ENCRYPTED`), PKCS#8 in PBES2 with PBKDF2. It
// ignores pass if the key is not encrypted. It returns [ErrPassphrase] if the passphrase is
// missing or wrong.
func ParsePrivatePEM(b []byte, pass string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(dropBlankLines(string(b))))
	if block == nil {
		return nil, fmt.Errorf("read private key: %w", errNoBlock)
	}
	key, err := parsePrivateBlock(block, pass)
	if err != nil {
		return nil, fmt.Errorf("read private key: %w", err)
	}
	if err := checkPublic(&key.PublicKey); err != nil {
		return nil, fmt.Errorf("read private key: %w", err)
	}
	return key, nil
}

func parsePrivateBlock(block *pem.Block, pass string) (*rsa.PrivateKey, error) {
	der := block.Bytes
	switch block.Type {
	case "RSA PRIVATE KEY":
		if x509.IsEncryptedPEMBlock(block) { //nolint:staticcheck // keys that Salt encrypted with key_pass have this form, and an operator's old key must still open
			if pass == "" {
				return nil, fmt.Errorf("%w: the key is encrypted, set key_pass", ErrPassphrase)
			}
			der, err := x509.DecryptPEMBlock(block, []byte(pass)) //nolint:staticcheck // as above
			if err != nil {
				return nil, fmt.Errorf("%w: %w", ErrPassphrase, err)
			}
			key, err := x509.ParsePKCS1PrivateKey(der)
			if err != nil { // the old form has no checksum: a wrong passphrase may pass the padding check
				return nil, fmt.Errorf("%w: %w", ErrPassphrase, err)
			}
			return key, nil
		}
		if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
			return key, nil
		}
		return parsePKCS8(der)
	case "PRIVATE KEY":
		return parsePKCS8(der)
	case "ENCRYPTED PRIVATE KEY":
		der, err := openPKCS8(der, pass)
		if err != nil {
			return nil, err
		}
		key, err := parsePKCS8(der)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrPassphrase, err)
		}
		return key, nil
	}
	return nil, fmt.Errorf("%w: it holds a %s", ErrPEM, block.Type)
}

func parsePKCS8(der []byte) (*rsa.PrivateKey, error) {
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPEM, err)
	}
	priv, ok := key.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%w: it is a %T, need an rsa key", ErrPEM, key)
	}
	return priv, nil
}

// PrivatePEM returns the text of a private key file: PKCS#1 as Salt writes it, or encrypted
// PKCS#8 if pass is not empty.
func PrivatePEM(priv *rsa.PrivateKey, pass string) ([]byte, error) {
	if pass == "" {
		return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(priv)}), nil
	}
	der, err := x509.MarshalPKCS8PrivateKey(priv)
	if err != nil {
		return nil, fmt.Errorf("write private key: %w", err)
	}
	if der, err = sealPKCS8(der, pass, writeIterations); err != nil {
		return nil, fmt.Errorf("write private key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: der}), nil
}
