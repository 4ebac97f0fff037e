package crypt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/vectors"
)

func TestCleanPEM(t *testing.T) {
	var v3 rsaV3Vectors
	vectors.Load(t, "rsa_v3.json", &v3)
	if len(v3.CleanKey) != 3 {
		t.Fatalf("%d vectors, want 3", len(v3.CleanKey))
	}
	for _, v := range v3.CleanKey {
		if got := CleanPEM(v.In); got != v.Out {
			t.Errorf("CleanPEM(%q) = %q, want %q", v.In, got, v.Out)
		}
	}
}

func TestPublicPEMForms(t *testing.T) {
	key := goldenKeys(t)["minion"]
	want := key.public(t)
	lf := key.PublicPEM
	for name, text := range map[string]string{
		"as salt writes it": lf,
		"crlf":              strings.ReplaceAll(lf, "\n", "\r\n"),
		"no final newline":  strings.TrimSpace(lf),
		"blank lines":       "\n" + strings.ReplaceAll(lf, "\n", "\n\n"),
		"rsa heading":       strings.ReplaceAll(lf, "PUBLIC KEY", "RSA PUBLIC KEY"),
	} {
		got, err := ParsePublicPEM(text)
		if err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got := PublicPEM(want); CleanPEM(got) != CleanPEM(lf) || !strings.HasSuffix(got, "-----\n") {
		t.Errorf("PublicPEM = %q, want %q", got, lf)
	}
}

// The files have one key in the forms that openssl writes.
func TestOpenSSLForms(t *testing.T) {
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("testdata", "pem", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	want, err := ParsePrivatePEM(read("pkcs1_plain.pem"), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"spki.pub", "pkcs1.pub"} {
		if pub, err := ParsePublicPEM(string(read(name))); err != nil || !pub.Equal(&want.PublicKey) {
			t.Errorf("%s: %v, %v", name, pub, err)
		}
	}
	for _, tc := range []struct {
		file, pass string
		err        error
		text       string
	}{
		{file: "pkcs8_plain.pem"},
		{file: "pkcs8_plain.pem", pass: "not needed"},
		{file: "pkcs1_aes256.pem", pass: "secret"},
		{file: "pkcs1_des3.pem", pass: "secret"},
		{file: "pkcs8_sha256.pem", pass: "secret"},
		{file: "pkcs8_sha1.pem", pass: "secret"},
		{file: "pkcs1_aes256.pem", err: ErrPassphrase, text: "key_pass"},
		{file: "pkcs8_sha256.pem", err: ErrPassphrase, text: "key_pass"},
		{file: "pkcs1_aes256.pem", pass: "wrong", err: ErrPassphrase},
		{file: "pkcs8_sha256.pem", pass: "wrong", err: ErrPassphrase},
		{file: "pkcs8_scrypt.pem", pass: "secret", err: ErrPEM, text: "openssl pkcs8"},
		{file: "pkcs8_des3.pem", pass: "secret", err: ErrPEM, text: "openssl pkcs8"},
		{file: "ec.pem", err: ErrPEM, text: "need an rsa key"},
		{file: "spki.pub", err: ErrPEM, text: "holds a PUBLIC KEY"},
	} {
		t.Run(tc.file+" "+tc.pass, func(t *testing.T) {
			got, err := ParsePrivatePEM(read(tc.file), tc.pass)
			if tc.err != nil {
				if !errors.Is(err, tc.err) || !strings.Contains(err.Error(), tc.text) {
					t.Fatalf("error %v, want %v with %q", err, tc.err, tc.text)
				}
				return
			}
			if err != nil || !got.Equal(want) {
				t.Fatalf("%v, %v", got, err)
			}
		})
	}
}

func TestPrivatePEMRoundTrip(t *testing.T) {
	key := goldenKeys(t)["minion"]
	priv := key.private(t)
	plain, err := PrivatePEM(priv, "")
	if err != nil {
		t.Fatal(err)
	}
	if CleanPEM(string(plain)) != CleanPEM(key.PrivatePEM) {
		t.Error("PrivatePEM differs from what Salt wrote for the same key")
	}
	sealed, err := PrivatePEM(priv, "words")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParsePrivatePEM(sealed, "words"); err != nil || !got.Equal(priv) {
		t.Errorf("encrypted round trip: %v", err)
	}
	if _, err := ParsePrivatePEM(sealed, "other"); !errors.Is(err, ErrPassphrase) {
		t.Errorf("wrong passphrase: %v, want ErrPassphrase", err)
	}
}

func FuzzParsePublicPEM(f *testing.F) {
	for _, k := range goldenKeys(f) {
		f.Add(k.PublicPEM)
		f.Add(strings.ReplaceAll(k.PublicPEM, "\n", "\r\n"))
	}
	f.Add("-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----")
	f.Fuzz(func(t *testing.T, text string) {
		pub, err := ParsePublicPEM(text)
		if err != nil {
			return
		}
		again, err := ParsePublicPEM(PublicPEM(pub))
		if err != nil || !again.Equal(pub) {
			t.Errorf("round trip: %v, %v", again, err)
		}
	})
}

func FuzzParsePrivatePEM(f *testing.F) {
	files, err := filepath.Glob("testdata/pem/pkcs*.pem")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if priv, err := ParsePrivatePEM(b, ""); err == nil && priv.Validate() != nil {
			t.Error("an unsound key was accepted")
		}
	})
}

// The parser of the encrypted form is our own, so it is fuzzed below the PEM layer with the
// passphrase of the seed.
func FuzzOpenPKCS8(f *testing.F) {
	der, err := sealPKCS8([]byte("secret part"), "words", 1)
	if err != nil {
		f.Fatal(err)
	}
	if got, err := openPKCS8(der, "words"); err != nil || string(got) != "secret part" {
		f.Fatalf("seed opens to %q, %v", got, err)
	}
	f.Add(der)
	f.Fuzz(func(t *testing.T, der []byte) {
		if n, ok := iterations(der); ok && n > 1000 {
			return // valid, but slow
		}
		plain, err := openPKCS8(der, "words")
		if err != nil {
			if !errors.Is(err, ErrPEM) && !errors.Is(err, ErrPassphrase) {
				t.Errorf("error without a sentinel: %v", err)
			}
			return
		}
		if len(plain) >= len(der) {
			t.Errorf("%d bytes out of %d", len(plain), len(der))
		}
	})
}

func iterations(der []byte) (int, bool) {
	var outer encryptedKey
	var scheme pbes2
	var kdf kdfParams
	ok := unmarshal(der, &outer, "") == nil &&
		unmarshal(outer.Algo.Parameters.FullBytes, &scheme, "") == nil &&
		unmarshal(scheme.KDF.Parameters.FullBytes, &kdf, "") == nil
	return kdf.Iterations, ok
}
