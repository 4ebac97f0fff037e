package crypt

import (
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/durable"
)

// Modes of the two files of a key pair, and the default size of a pair.
const (
	//mutant:cve2020-17490-private-keys
	PrivateMode fs.FileMode = 0o400
	PublicMode  fs.FileMode = 0o644
	DefaultBits             = 2048
)

// maxKeyFile bounds the size of a key file in bytes: a key of [MaxKeyBits] takes less than half
// of it.
const maxKeyFile = 64 << 10

// KeyPair is an RSA key and the text of its public file, which peers compare, sign and
// fingerprint.
type KeyPair struct {
	Private   *rsa.PrivateKey
	PublicPEM string
}

// Public returns the public key.
func (k *KeyPair) Public() *rsa.PublicKey { return &k.Private.PublicKey }

// NewKeyPair generates a key of the given size in bits with exponent 65537; 0 means
// [DefaultBits].
func NewKeyPair(bits int) (*KeyPair, error) {
	if bits == 0 {
		bits = DefaultBits
	}
	if bits > MaxKeyBits {
		return nil, fmt.Errorf("make key: %d bits, at most %d are supported", bits, MaxKeyBits)
	}
	priv, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		return nil, fmt.Errorf("make key of %d bits: %w", bits, err)
	}
	return &KeyPair{Private: priv, PublicPEM: PublicPEM(&priv.PublicKey)}, nil
}

// EnsureKeyPair loads <name>.pem and <name>.pub from dir, or creates them: the private file
// with mode 0400, the public one with 0644, dir with 0700. It recreates a missing public file
// from the private one; a public file of another key is an error. Concurrent processes get the
// same pair.
func EnsureKeyPair(dir, name string, bits int) (*KeyPair, error) {
	return EnsureKeyPairPass(dir, name, bits, "")
}

// EnsureKeyPairPass is [EnsureKeyPair] for a private file encrypted with pass (key_pass,
// signing_key_pass); empty means unencrypted.
func EnsureKeyPairPass(dir, name string, bits int, pass string) (*KeyPair, error) {
	pemPath := filepath.Join(dir, name+".pem")
	priv, err := LoadPrivate(pemPath, pass)
	if errors.Is(err, fs.ErrNotExist) {
		priv, err = createPrivate(dir, pemPath, bits, pass)
	}
	if errors.Is(err, errNoBlock) {
		return nil, fmt.Errorf("%w; restore the pair from a copy, or remove both its files to have a new one made, which is a stranger to all that know the old one", err)
	}
	if err != nil {
		return nil, err
	}
	text, err := ensurePublic(filepath.Join(dir, name+".pub"), &priv.PublicKey)
	if err != nil {
		return nil, err
	}
	return &KeyPair{Private: priv, PublicPEM: text}, nil
}

func createPrivate(dir, path string, bits int, pass string) (*rsa.PrivateKey, error) {
	if err := durable.Folder(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make key folder: %w", err)
	}
	pair, err := NewKeyPair(bits)
	if err != nil {
		return nil, err
	}
	text, err := PrivatePEM(pair.Private, pass)
	if err != nil {
		return nil, err
	}
	err = durable.CreateFile(path, text, PrivateMode)
	if errors.Is(err, fs.ErrExist) { // another process was faster: use its key
		return LoadPrivate(path, pass)
	}
	return pair.Private, err
}

func ensurePublic(path string, pub *rsa.PublicKey) (string, error) {
	b, err := readKeyFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text := PublicPEM(pub)
		return text, durable.WriteFile(path, []byte(text), PublicMode)
	}
	if err != nil {
		return "", fmt.Errorf("load public key: %w", err)
	}
	onDisk, err := ParsePublicPEM(string(b))
	if err != nil {
		return "", fmt.Errorf("load %s: %w; remove it to have it written again from the .pem beside it", path, err)
	}
	if !onDisk.Equal(pub) {
		return "", fmt.Errorf("load %s: it is not the public half of the .pem beside it; "+
			"remove it to have it written again", path)
	}
	return string(b), nil
}

// LoadPrivate reads a private key file, which pass decrypts if it is encrypted; see
// [ParsePrivatePEM].
func LoadPrivate(path, pass string) (*rsa.PrivateKey, error) {
	b, err := readKeyFile(path)
	if err != nil {
		return nil, fmt.Errorf("load private key: %w", err)
	}
	priv, err := ParsePrivatePEM(b, pass)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	return priv, nil
}

// LoadPublic reads a public key file; see [ParsePublicPEM].
func LoadPublic(path string) (*rsa.PublicKey, error) {
	b, err := readKeyFile(path)
	if err != nil {
		return nil, fmt.Errorf("load public key: %w", err)
	}
	pub, err := ParsePublicPEM(string(b))
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	return pub, nil
}

func readKeyFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxKeyFile {
		return nil, fmt.Errorf("read %s: %w: need a regular file of at most %d bytes", path, ErrPEM, maxKeyFile)
	}
	return io.ReadAll(io.LimitReader(f, maxKeyFile))
}
