package crypt

import (
	"crypto/rsa"
	"testing"

	"github.com/momtree/mom/internal/vectors"
)

// load reads one file of golden vectors: bytes and keys made by real Salt.
func load(t testing.TB, name string, into any) {
	t.Helper()
	if err := vectors.Read(name, into); err != nil {
		t.Fatal(err)
	}
}

type goldenKey struct {
	PrivatePEM string `json:"private_pem"`
	PublicPEM  string `json:"public_pem"`
}

func goldenKeys(t testing.TB) map[string]goldenKey {
	t.Helper()
	var keys map[string]goldenKey
	load(t, "keys.json", &keys)
	return keys
}

func (k goldenKey) private(t testing.TB) *rsa.PrivateKey {
	t.Helper()
	priv, err := ParsePrivatePEM([]byte(k.PrivatePEM), "")
	if err != nil {
		t.Fatal(err)
	}
	return priv
}

func (k goldenKey) public(t testing.TB) *rsa.PublicKey {
	t.Helper()
	pub, err := ParsePublicPEM(k.PublicPEM)
	if err != nil {
		t.Fatal(err)
	}
	return pub
}
