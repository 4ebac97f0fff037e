package auth

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/go-jose/go-jose/v4"
)

// keyFile is a JWKS file with the public keys of a provider. It is read at each login.
type keyFile struct {
	path string

	mu   sync.Mutex
	sum  [sha256.Size]byte // of what was read last
	keys []jose.JSONWebKey
}

// maxKeyFile bounds a key file, in bytes.
const maxKeyFile = 1 << 20

func (k *keyFile) load() ([]jose.JSONWebKey, error) {
	f, err := os.Open(k.path)
	if err != nil {
		return nil, fmt.Errorf("auth.oidc.jwks_file: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err == nil && len(b) > maxKeyFile {
		err = fmt.Errorf("it has more than %d bytes", maxKeyFile)
	}
	if err != nil {
		return nil, fmt.Errorf("auth.oidc.jwks_file %s: %w", k.path, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if sum := sha256.Sum256(b); k.keys == nil || sum != k.sum {
		keys, err := readKeys(b)
		if err != nil {
			return nil, fmt.Errorf("auth.oidc.jwks_file %s: %w", k.path, err)
		}
		k.keys, k.sum = keys, sum
	}
	return k.keys, nil
}

// readKeys returns the public signing keys of a JWKS. It rejects a secret in it, with which others
// could create tokens.
func readKeys(b []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(b, &set); err != nil {
		return nil, errors.New("not a JSON Web Key Set ({\"keys\": [...]})")
	}
	var out []jose.JSONWebKey
	for i, raw := range set.Keys {
		var key jose.JSONWebKey
		switch err := json.Unmarshal(raw, &key); {
		case errors.Is(err, jose.ErrUnsupportedKeyType): // providers have such beside those that sign
		case err != nil:
			return nil, fmt.Errorf("key %d cannot be read", i+1)
		case key.Use != "" && key.Use != "sig": // for another purpose
		case !key.Valid() || !key.IsPublic():
			return nil, fmt.Errorf("key %d is not a public key", i+1)
		default:
			out = append(out, key)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no signing key")
	}
	return out, nil
}

// VerifySignature returns the payload of a token that one of the keys has signed.
func (k *keyFile) VerifySignature(_ context.Context, jwt string) ([]byte, error) {
	keys, err := k.load()
	if err != nil {
		return nil, &awayError{err}
	}
	jws, err := jose.ParseSignedCompact(jwt, signatureAlgorithms())
	if err != nil {
		return nil, err
	}
	header := jws.Signatures[0].Header
	for _, key := range keys {
		if header.KeyID != "" && key.KeyID != "" && header.KeyID != key.KeyID || key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		if b, err := jws.Verify(key.Key); err == nil {
			return b, nil
		}
	}
	return nil, errors.New("not signed by any of the keys")
}
