package crypt

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/vectors"
)

type rsaVectors struct {
	X931 []struct {
		Key                               string
		Data, Signature, Block, Recovered []byte
	}
	OAEP []struct {
		Key              string
		Data, Ciphertext []byte
	} `json:"oaep_sha1"`
	PKCS1 []struct {
		Key             string
		Data, Signature []byte
		Verified        bool
	} `json:"pkcs1v15_sha1"`
	SignatureFile struct {
		SignedWith string `json:"signed_with"`
		Content    string
		OverBytes  []byte `json:"over_bytes"`
	} `json:"master_pubkey_signature_file"`
}

type rsaV3Vectors struct {
	Sign []struct {
		Key, Algorithm  string
		Data, Signature []byte
	}
	Encrypt []struct {
		Key, Algorithm   string
		Data, Ciphertext []byte
	}
	ValidSigning    []string `json:"valid_signing"`
	ValidEncryption []string `json:"valid_encryption"`
	X931            struct {
		Key             string
		Data, Signature []byte
	}
	CleanKey []struct{ In, Out string } `json:"clean_key"`
}

func TestSaltDecrypts(t *testing.T) {
	var v2 rsaVectors
	var v3 rsaV3Vectors
	vectors.Load(t, "rsa.json", &v2)
	vectors.Load(t, "rsa_v3.json", &v3)
	keys := goldenKeys(t)
	n := 0
	check := func(alg, key string, data, ciphertext []byte) {
		t.Helper()
		n++
		priv := keys[key].private(t)
		got, err := Decrypt(alg, priv, ciphertext)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: Decrypt = %q, %v, want %q", alg, got, err, data)
		}
		ours, err := Encrypt(alg, keys[key].public(t), data)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Decrypt(alg, priv, ours); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: round trip = %q, %v, want %q", alg, got, err, data)
		}
	}
	for _, v := range v2.OAEP {
		check(OAEPSHA1, v.Key, v.Data, v.Ciphertext)
	}
	for _, v := range v3.Encrypt {
		check(v.Algorithm, v.Key, v.Data, v.Ciphertext)
	}
	if n != 4 {
		t.Errorf("%d vectors checked, want 4", n)
	}
}

func TestSaltSignatures(t *testing.T) {
	var v2 rsaVectors
	var v3 rsaV3Vectors
	vectors.Load(t, "rsa.json", &v2)
	vectors.Load(t, "rsa_v3.json", &v3)
	keys := goldenKeys(t)
	n := 0
	check := func(alg, key string, data, sig []byte) {
		t.Helper()
		n++
		got, err := Sign(alg, keys[key].private(t), data)
		if err != nil || !bytes.Equal(got, sig) {
			t.Errorf("Sign(%s, %q) = %x, %v, want %x", alg, data, got, err, sig)
		}
		if err := Verify(alg, keys[key].public(t), data, sig); err != nil {
			t.Errorf("Verify(%s, %q): %v", alg, data, err)
		}
		if err := Verify(alg, keys[key].public(t), append([]byte("x"), data...), sig); !errors.Is(err, ErrSignature) {
			t.Errorf("Verify of other data: %v, want ErrSignature", err)
		}
	}
	for _, v := range v2.PKCS1 {
		check(PKCS1SHA1, v.Key, v.Data, v.Signature)
	}
	for _, v := range v3.Sign {
		check(v.Algorithm, v.Key, v.Data, v.Signature)
	}
	if n != 5 {
		t.Errorf("%d vectors checked, want 5", n)
	}

	file := v2.SignatureFile
	sig, err := Sign(PKCS1SHA1, keys[file.SignedWith].private(t), file.OverBytes)
	if err != nil {
		t.Fatal(err)
	}
	if got := base64.StdEncoding.EncodeToString(sig) + "\n"; got != file.Content {
		t.Errorf("signature file = %q, want %q", got, file.Content)
	}
}

func TestAlgorithmNames(t *testing.T) {
	var v3 rsaV3Vectors
	vectors.Load(t, "rsa_v3.json", &v3)
	for _, name := range v3.ValidEncryption {
		if !ValidEncryption(name) || ValidSigning(name) {
			t.Errorf("%s is not taken for an encryption algorithm alone", name)
		}
	}
	for _, name := range v3.ValidSigning {
		if !ValidSigning(name) || ValidEncryption(name) {
			t.Errorf("%s is not taken for a signing algorithm alone", name)
		}
	}
	key := goldenKeys(t)["minion"]
	priv, pub := key.private(t), key.public(t)
	_, encErr := Encrypt("OAEP-SHA256", pub, nil)
	_, decErr := Decrypt(PKCS1SHA1, priv, nil)
	_, signErr := Sign("", priv, nil)
	verErr := Verify("PKCS1v15-SHA256", pub, nil, nil)
	for name, err := range map[string]error{"Encrypt": encErr, "Decrypt": decErr, "Sign": signErr, "Verify": verErr} {
		if !errors.Is(err, ErrBadAlgorithm) || !strings.Contains(err.Error(), "known are") {
			t.Errorf("%s with an unknown algorithm: %v, want ErrBadAlgorithm that names the known ones", name, err)
		}
	}
}

func TestDecryptRefusesForeignBytes(t *testing.T) {
	keys := goldenKeys(t)
	sealed, err := Encrypt(OAEPSHA1, keys["minion"].public(t), []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Decrypt(OAEPSHA1, keys["minion2"].private(t), sealed); err == nil {
		t.Errorf("another key decrypts to %q", got)
	}
	if got, err := Decrypt(OAEPSHA224, keys["minion"].private(t), sealed); err == nil {
		t.Errorf("another hash decrypts to %q", got)
	}
}

func BenchmarkSign(b *testing.B) {
	priv := goldenKeys(b)["master"].private(b)
	for b.Loop() {
		if _, err := Sign(PKCS1SHA1, priv, []byte("load")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncrypt(b *testing.B) {
	pub := goldenKeys(b)["minion"].public(b)
	for b.Loop() {
		if _, err := Encrypt(OAEPSHA1, pub, []byte("key")); err != nil {
			b.Fatal(err)
		}
	}
}
