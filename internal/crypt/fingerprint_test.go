package crypt

import (
	"errors"
	"testing"

	"github.com/momtree/mom/internal/vectors"
)

func TestFingerprintAgainstSalt(t *testing.T) {
	var v struct {
		Keys []struct {
			Key, SHA256, MD5 string
			PrivateSHA256    string `json:"private_sha256"`
		}
		Forms []struct{ Form, PEM, SHA256 string } `json:"forms_of_minion_pub"`
	}
	vectors.Load(t, "fingerprints.json", &v)
	keys := goldenKeys(t)
	if len(v.Keys) != 7 || len(v.Forms) != 5 {
		t.Fatalf("%d keys and %d forms, want 7 and 5", len(v.Keys), len(v.Forms))
	}
	check := func(name, pem, hash, want string) {
		t.Helper()
		if got, err := Fingerprint([]byte(pem), hash); err != nil || got != want {
			t.Errorf("%s %s: %s, %v, want %s", name, hash, got, err, want)
		}
	}
	for _, k := range v.Keys {
		check(k.Key, keys[k.Key].PublicPEM, "sha256", k.SHA256)
		check(k.Key, keys[k.Key].PublicPEM, "", k.SHA256)
		check(k.Key, keys[k.Key].PublicPEM, "md5", k.MD5)
		check(k.Key+" private", keys[k.Key].PrivatePEM, "sha256", k.PrivateSHA256)
	}
	for _, f := range v.Forms {
		check(f.Form, f.PEM, "sha256", f.SHA256)
	}
	if _, err := Fingerprint(nil, "crc32"); !errors.Is(err, ErrBadAlgorithm) {
		t.Errorf("unknown hash_type: %v, want ErrBadAlgorithm", err)
	}
}

func FuzzFingerprint(f *testing.F) {
	f.Add([]byte("a\nb\nc"), "sha256")
	f.Add([]byte("\r\n\r\n"), "md5")
	f.Fuzz(func(t *testing.T, pem []byte, hash string) {
		got, err := Fingerprint(pem, hash)
		if err == nil && len(got)%3 != 2 {
			t.Errorf("malformed fingerprint %q", got)
		}
	})
}
