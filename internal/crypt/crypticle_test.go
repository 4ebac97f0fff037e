package crypt

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/momtree/mom/internal/vectors"
)

type crypticleVectors struct {
	KeyString string `json:"key_string"`
	Pairs     []struct {
		Nonce                          *string
		Ciphertext, Plaintext, IV, MAC []byte
	}
	Negative []struct {
		Name       string
		Nonce      *string
		Ciphertext []byte
	}
	SerialRule []struct {
		Serial int64
		Result map[string]int
	} `json:"serial_rule"`
}

func TestCrypticleAgainstSalt(t *testing.T) {
	var v crypticleVectors
	vectors.Load(t, "crypticle.json", &v)
	c, err := ParseKey(v.KeyString)
	if err != nil {
		t.Fatal(err)
	}
	if c.Key() != v.KeyString {
		t.Errorf("Key() = %q, want %q", c.Key(), v.KeyString)
	}
	if len(v.Pairs) != 26 {
		t.Fatalf("%d pairs, want 26", len(v.Pairs))
	}
	for i, p := range v.Pairs {
		nonce := ""
		if p.Nonce != nil {
			nonce = *p.Nonce
		}
		want := bytes.TrimPrefix(p.Plaintext, []byte(mark+nonce))
		got, err := c.OpenNonce(p.Ciphertext, nonce)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("pair %d: %q, %v, want %q", i, got, err, want)
		}
		ours, err := c.Seal(nonce, want)
		if err != nil {
			t.Fatal(err)
		}
		if len(ours) != len(p.Ciphertext) {
			t.Errorf("pair %d: sealed into %d bytes, Salt into %d", i, len(ours), len(p.Ciphertext))
		}
		if got, err := c.OpenNonce(ours, nonce); err != nil || !bytes.Equal(got, want) {
			t.Errorf("pair %d: round trip %q, %v, want %q", i, got, err, want)
		}
	}
}

func TestCrypticleRefusals(t *testing.T) {
	var v crypticleVectors
	vectors.Load(t, "crypticle.json", &v)
	c, err := ParseKey(v.KeyString)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]error{
		"flipped bit": ErrAuth, "truncated": ErrAuth, "no prefix": ErrMark,
		"other nonce": ErrNonce, "nonce missing": ErrNonce,
	}
	if len(v.Negative) != len(want) {
		t.Fatalf("%d vectors, want %d", len(v.Negative), len(want))
	}
	for _, n := range v.Negative {
		nonce := ""
		if n.Nonce != nil {
			nonce = *n.Nonce
		}
		if _, err := c.OpenNonce(n.Ciphertext, nonce); err == nil || !errors.Is(err, want[n.Name]) {
			t.Errorf("%s: %v, want %v", n.Name, err, want[n.Name])
		}
	}
	// A frame with a valid HMAC but broken padding is rejected as a whole.
	frame := append(make([]byte, 32), c.appendMAC(nil, make([]byte, 32))...)
	if _, err := c.Open(frame); !errors.Is(err, ErrAuth) && !errors.Is(err, ErrMark) {
		t.Errorf("sealed garbage: %v", err)
	}
	other, err := ParseKey(NewKeyString())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Open(v.Pairs[0].Ciphertext); !errors.Is(err, ErrAuth) {
		t.Errorf("another key: %v, want ErrAuth", err)
	}
	for n := range 64 {
		if _, err := c.Open(make([]byte, n)); !errors.Is(err, ErrAuth) {
			t.Errorf("%d bytes: %v, want ErrAuth", n, err)
		}
	}
}

func TestKeyStrings(t *testing.T) {
	a, b := NewKeyString(), NewKeyString()
	if len(a) != KeyStringSize || a == b {
		t.Fatalf("keys %q and %q", a, b)
	}
	if c, err := ParseKey(" " + a[:40] + "\n" + a[40:] + "\n"); err != nil || c.Key() != a {
		t.Errorf("key with line breaks: %v", err)
	}
	for name, s := range map[string]string{
		"empty": "", "not base64": strings.Repeat("*", 76), "cut": a[:72],
		"too long": base64.StdEncoding.EncodeToString(make([]byte, 57)),
	} {
		_, err := ParseKey(s)
		if !errors.Is(err, ErrKey) {
			t.Errorf("%s: %v, want ErrKey", name, err)
		}
		if s != "" && strings.Contains(err.Error(), s) {
			t.Errorf("%s: the error shows the secret: %v", name, err)
		}
	}
}

func TestCrypticleConcurrent(t *testing.T) {
	c, err := ParseKey(NewKeyString())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 200 {
				msg := fmt.Appendf(nil, "%d/%d", w, i)
				frame, err := c.Seal("", msg)
				if err != nil {
					t.Error(err)
				}
				if got, err := c.Open(frame); err != nil || !bytes.Equal(got, msg) {
					t.Errorf("%q, %v, want %q", got, err, msg)
				}
			}
		})
	}
	wg.Wait()
}

func TestSerialRule(t *testing.T) {
	var v crypticleVectors
	vectors.Load(t, "crypticle.json", &v)
	if len(v.SerialRule) == 0 {
		t.Fatal("no vectors")
	}
	var s Serial
	for i, step := range v.SerialRule {
		if got, want := s.Accept(step.Serial), len(step.Result) > 0; got != want {
			t.Errorf("step %d: Accept(%d) = %t, want %t", i, step.Serial, got, want)
		}
	}
	s.Reset()
	if !s.Accept(1) || s.Accept(0) || s.Accept(-1) {
		t.Error("after Reset 1 must count, 0 and -1 must not")
	}
}

func FuzzCrypticleOpen(f *testing.F) {
	c, err := ParseKey(NewKeyString())
	if err != nil {
		f.Fatal(err)
	}
	var v crypticleVectors
	vectors.Load(f, "crypticle.json", &v)
	for _, p := range v.Pairs[:4] {
		f.Add(p.Ciphertext, "nonce")
	}
	f.Fuzz(func(t *testing.T, b []byte, nonce string) {
		if got, err := c.Open(b); err == nil {
			t.Errorf("a frame of unknown origin opens to %q", got)
		}
		// The same bytes with a valid HMAC must never panic.
		_, _ = c.OpenNonce(c.appendMAC(bytes.Clone(b), b), nonce)
		frame, err := c.Seal(nonce, b)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.OpenNonce(frame, nonce); err != nil || !bytes.Equal(got, b) {
			t.Errorf("round trip: %q, %v, want %q", got, err, b)
		}
	})
}

func FuzzParseKey(f *testing.F) {
	f.Add(NewKeyString())
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseKey(s)
		if err != nil {
			return
		}
		if len(c.Key()) != KeyStringSize {
			t.Errorf("key of %d characters", len(c.Key()))
		}
	})
}

func BenchmarkCrypticle(b *testing.B) {
	c, err := ParseKey(NewKeyString())
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{300, 64 << 10, 1 << 20} {
		payload := make([]byte, size)
		frame, err := c.Seal("", payload)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("seal/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = c.Seal("", payload)
			}
		})
		b.Run(fmt.Sprintf("open/%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = c.Open(frame)
			}
		})
	}
}

// Opening in place gives the same result, and leaves a rejected frame unchanged.
func TestCrypticleInPlace(t *testing.T) {
	c, err := ParseKey(NewKeyString())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 15, 16, 1000} {
		want := bytes.Repeat([]byte{'x'}, n)
		frame, err := c.Seal("", want)
		if err != nil {
			t.Fatal(err)
		}
		bad := bytes.Clone(frame)
		bad[len(bad)-1] ^= 1
		was := bytes.Clone(bad)
		if _, err := c.OpenInPlace(bad); !errors.Is(err, ErrAuth) || !bytes.Equal(bad, was) {
			t.Errorf("%d bytes, forged: %v", n, err)
		}
		if got, err := c.OpenInPlace(frame); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %q, %v", n, got, err)
		}
	}
}
