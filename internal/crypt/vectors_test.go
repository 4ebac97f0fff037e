package crypt

import (
	"crypto/rsa"
	"testing"

	"github.com/momtree/mom/internal/vectors"
)

type goldenKey vectors.Key

func goldenKeys(t testing.TB) map[string]goldenKey {
	t.Helper()
	var keys map[string]goldenKey
	vectors.Load(t, "keys.json", &keys)
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
