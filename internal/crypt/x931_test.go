package crypt

import (
	"bytes"
	"crypto/rsa"
	"errors"
	"math/big"
	"testing"

	"github.com/momtree/mom/internal/vectors"
)

func TestX931AgainstSalt(t *testing.T) {
	var v2 rsaVectors
	var v3 rsaV3Vectors
	vectors.Load(t, "rsa.json", &v2)
	vectors.Load(t, "rsa_v3.json", &v3)
	keys := goldenKeys(t)
	if len(v2.X931) != 5 {
		t.Fatalf("%d vectors, want 5", len(v2.X931))
	}
	for _, v := range v2.X931 {
		priv := keys[v.Key].private(t)
		if block, err := x931Block(priv.Size(), v.Data); err != nil || !bytes.Equal(block, v.Block) {
			t.Errorf("%s: block = %x, %v, want %x", v.Key, block, err, v.Block)
		}
		if sig, err := X931Sign(priv, v.Data); err != nil || !bytes.Equal(sig, v.Signature) {
			t.Errorf("%s: X931Sign = %x, %v, want %x", v.Key, sig, err, v.Signature)
		}
		if got, err := X931Open(keys[v.Key].public(t), v.Signature); err != nil || !bytes.Equal(got, v.Recovered) {
			t.Errorf("%s: X931Open = %q, %v, want %q", v.Key, got, err, v.Recovered)
		}
	}
	v := v3.X931
	if sig, err := X931Sign(keys[v.Key].private(t), v.Data); err != nil || !bytes.Equal(sig, v.Signature) {
		t.Errorf("v3: X931Sign = %x, %v, want %x", sig, err, v.Signature)
	}
}

// Every length of data comes back, with and without the two primes at hand.
func TestX931Lengths(t *testing.T) {
	priv := goldenKeys(t)["minion"].private(t)
	plain := &rsa.PrivateKey{PublicKey: priv.PublicKey, D: priv.D}
	data := bytes.Repeat([]byte{x931Last, x931Pad, x931Tail, 0}, 64)
	for _, n := range []int{0, 1, 2, 64, 251, 252, 253, 254} {
		sig, err := X931Sign(priv, data[:n])
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if half := new(big.Int).Rsh(priv.N, 1); new(big.Int).SetBytes(sig).Cmp(half) > 0 {
			t.Errorf("%d bytes: the larger of both results was returned", n)
		}
		if got, err := X931Open(&priv.PublicKey, sig); err != nil || !bytes.Equal(got, data[:n]) {
			t.Errorf("%d bytes: opened as %x, %v", n, got, err)
		}
		if other, err := X931Sign(plain, data[:n]); err != nil || !bytes.Equal(other, sig) {
			t.Errorf("%d bytes: without primes the result differs: %v", n, err)
		}
	}
	if _, err := X931Sign(priv, data[:255]); err == nil {
		t.Error("255 bytes were signed with a key of 256 bytes")
	}
}

func TestX931OpenRefuses(t *testing.T) {
	keys := goldenKeys(t)
	pub := keys["minion"].public(t)
	sig, err := X931Sign(keys["minion2"].private(t), []byte("data"))
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"other key":   sig,
		"empty":       nil,
		"short":       sig[1:],
		"zero":        make([]byte, 256),
		"modulus":     pub.N.Bytes(),
		"all ones":    bytes.Repeat([]byte{0xff}, 256),
		"one too big": append(bytes.Clone(sig), 0),
	} {
		if got, err := X931Open(pub, b); !errors.Is(err, ErrX931) {
			t.Errorf("%s: %q, %v, want ErrX931", name, got, err)
		}
	}
}

func TestX931DamagedKey(t *testing.T) {
	priv := goldenKeys(t)["minion"].private(t)
	bad := &rsa.PrivateKey{PublicKey: priv.PublicKey, D: new(big.Int).Add(priv.D, one), Primes: priv.Primes}
	if sig, err := X931Sign(bad, []byte("data")); err == nil {
		t.Errorf("a damaged key signed %x, which would give its primes away", sig)
	}
}

func FuzzX931Open(f *testing.F) {
	keys := goldenKeys(f)
	priv, pub := keys["minion"].private(f), keys["minion"].public(f)
	sig, err := X931Sign(priv, []byte("data"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sig)
	f.Add(bytes.Repeat([]byte{0}, 256))
	f.Fuzz(func(t *testing.T, sig []byte) {
		data, err := X931Open(pub, sig)
		if err != nil {
			return
		}
		if _, err := X931Sign(priv, data); err != nil {
			t.Errorf("opened %d bytes that cannot be signed: %v", len(data), err)
		}
	})
}

// The block reader sees whatever a raw RSA operation on hostile bytes gives.
func FuzzX931Block(f *testing.F) {
	f.Add([]byte{x931Head, x931Pad, x931Last, 'd', x931Tail})
	f.Add([]byte{x931Full, 'd', x931Tail})
	f.Fuzz(func(t *testing.T, b []byte) {
		data, err := x931Data(b)
		if err != nil {
			return
		}
		again, err := x931Block(len(b), data)
		if err != nil || !bytes.Equal(again, b) {
			t.Errorf("%x opens to %x, which packs to %x, %v", b, data, again, err)
		}
	})
}

func BenchmarkX931Sign(b *testing.B) {
	priv := goldenKeys(b)["master"].private(b)
	for b.Loop() {
		if _, err := X931Sign(priv, []byte("digest")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkX931Open(b *testing.B) {
	key := goldenKeys(b)["master"]
	sig, err := X931Sign(key.private(b), []byte("digest"))
	if err != nil {
		b.Fatal(err)
	}
	pub := key.public(b)
	for b.Loop() {
		if _, err := X931Open(pub, sig); err != nil {
			b.Fatal(err)
		}
	}
}
