package channel

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"os"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// frameWith seals a load under a key string like [crypt.Crypticle.Seal], with a chosen IV.
func frameWith(t *testing.T, key string, iv, load []byte) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(raw[:24])
	if err != nil {
		t.Fatal(err)
	}
	plain := append([]byte("pickle::"), load...)
	n := aes.BlockSize - len(plain)%aes.BlockSize
	plain = append(plain, bytes.Repeat([]byte{byte(n)}, n)...)
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(plain, plain)
	frame := append(bytes.Clone(iv), plain...)
	mac := hmac.New(sha256.New, raw[24:])
	mac.Write(frame)
	return mac.Sum(frame)
}

// forgedNonce returns a nonce for which the reply {ret: ret, nonce: nonce} is a valid frame of
// a publication under the shared key, and that frame.
func forgedNonce(t *testing.T, key string, ret any, load []byte) (nonce string, frame []byte) {
	t.Helper()
	size := 0 // of the nonce: its length is in the head, before the IV
	for range 2 {
		head, err := wire.Encode(wire.NewMap("ret", ret, "nonce", string(make([]byte, max(size, 128)))))
		if err != nil {
			t.Fatal(err)
		}
		head = head[:len(head)-max(size, 128)]
		iv := append(bytes.Clone(head), make([]byte, aes.BlockSize-len(head))...)
		frame = frameWith(t, key, iv, load)
		nonce, size = string(frame[len(head):]), len(frame)-len(head)
	}
	return nonce, frame
}

// An accepted minion knows the shared key. So it can choose a nonce that makes the refusal of a
// sign-in a valid publication, and a master that signs any nonce signs that. Minions and nodes
// do not accept it as a publication, although signature, HMAC and content are valid.
func TestOpenPublication_ForgedByASignIn(t *testing.T) {
	for _, role := range []string{"minion", "syndic"} {
		m := channeltest.Start(t, channeltest.Rules{SignPublications: true})
		cfg := testConfig(t, m)
		cfg.Role = role
		c := signedIn(t, cfg)
		if _, err := c.OpenPublication(within(t), m.Seal(channeltest.Job("1", "*", "test.ping"))); err != nil {
			t.Fatal(err)
		}
		m.Change(func(r *channeltest.Rules) { r.Auth = func(*wire.Map) any { return false } })
		for _, serial := range []bool{false, true} {
			job := channeltest.Job("20261126000000000001", "*", "cmd.run", "id")
			if serial {
				job.Set("serial", 1<<40)
			}
			load, err := wire.Encode(job)
			if err != nil {
				t.Fatal(err)
			}
			res, _ := c.Current()
			nonce, frame := forgedNonce(t, res.AES, false, load)
			body, err := c.ask(question{nonce: nonce})
			if err != nil {
				t.Fatal(err)
			}
			reply, err := c.exchange(within(t), signInOp, body, cfg.AuthTimeout, 1)
			if err != nil {
				t.Fatal(err)
			}
			a, err := parseAnswer(reply)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a.signed, frame) || crypt.Verify(crypt.PKCS1SHA1, m.Key.Public(), frame, a.sig) != nil {
				t.Fatal("the master did not sign the frame: this is not the attack")
			}
			forged, err := wire.Envelope{Enc: "aes", Cipher: a.signed, Sig: a.sig, SigAlgo: crypt.PKCS1SHA1}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if p, err := c.OpenPublication(within(t), forged); !errors.Is(err, ErrBadSignature) || p.JID != "" {
				t.Errorf("%s, serial %v: job %q is taken: %v", role, serial, p.JID, err)
			}
		}
	}
}

// Publications of a master must have a serial once one had, even after a restart, until an
// operator removes the file. For a master that never sent a serial, none is required.
func TestOpenPublication_HeldToSerials(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{NoSerial: true})
	cfg := testConfig(t, m)
	number := func(on bool) { m.Change(func(r *channeltest.Rules) { r.NoSerial = !on }) }
	opens := func(what string, c *Channel, want error) {
		t.Helper()
		if _, err := c.OpenPublication(within(t), m.Seal(channeltest.Job("1", "*", "test.ping"))); !errors.Is(err, want) || (want == nil) != (err == nil) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	c := signedIn(t, cfg)
	opens("never numbered", c, nil)
	number(true)
	opens("numbered", c, nil)
	number(false)
	opens("then not", c, ErrReplayed)
	m.Rotate()
	opens("not under a new shared key either", c, ErrReplayed)
	again := signedIn(t, cfg)
	opens("nor in the next life", again, ErrReplayed)
	if err := os.Remove(cfg.withDefaults().pinPath() + serialsSuffix); err != nil {
		t.Fatal(err)
	}
	opens("after the operator's reset", again, nil)
}
