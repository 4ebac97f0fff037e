package keys

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Secrets are the keys sent to an accepted minion.
type Secrets struct {
	AES         string // key string shared by all minions
	Session     string // key string of this minion, protocol 3
	PublishPort int
}

// Refuse returns the reply to a sign-in that is not accepted: `{ret, nonce}`, signed, from version 2,
// and `{ret}` in clear below.
func (i *Identity) Refuse(a Auth, o Outcome) ([]byte, error) {
	if a.Version < 2 {
		return clearRet(o.Ret())
	}
	return i.signed(a, wire.NewMap("ret", o.Ret(), "nonce", a.Nonce))
}

// Admit returns the reply to an accepted sign-in: the keys, encrypted with the minion's public key.
// An unknown algorithm is answered like Salt; see [BadEncAlgo] and [BadSigAlgo].
func (i *Identity) Admit(a Auth, pub *rsa.PublicKey, s Secrets) ([]byte, error) {
	if !crypt.ValidEncryption(a.EncAlgo) {
		return BadEncAlgo()
	}
	if a.Version >= 2 && !crypt.ValidSigning(a.SigAlgo) {
		return BadSigAlgo()
	}
	m := wire.NewMap("enc", "pub", "pub_key", i.pubText, "publish_port", s.PublishPort)
	sigAlgo := a.SigAlgo
	if !crypt.ValidSigning(sigAlgo) {
		sigAlgo = crypt.PKCS1SHA1
	}
	pubSig, err := i.PubSig(sigAlgo)
	if err != nil {
		return nil, err
	}
	if pubSig != nil {
		m.Set("pub_sig", pubSig)
	}
	seal := func(field, text string) error {
		b, err := crypt.Encrypt(a.EncAlgo, pub, []byte(text))
		if err != nil {
			return fmt.Errorf("answer sign-in of %q: field %s: %w", a.ID, field, err)
		}
		m.Set(field, b)
		return nil
	}
	if a.HasToken { // one that does not decrypt was meant for another master: left out
		if text, err := crypt.Decrypt(a.EncAlgo, i.Pair.Private, a.Token); err == nil {
			if err := seal("token", string(text)); err != nil {
				return nil, err
			}
		}
	}
	if err := errors.Join(seal("aes", s.AES), seal("session", s.Session)); err != nil {
		return nil, err
	}
	proof, err := i.prove(s.AES)
	if err != nil {
		return nil, err
	}
	m.Set("sig", proof)
	if a.Version < 2 {
		return wire.Encode(m)
	}
	m.Set("nonce", a.Nonce)
	return i.signed(a, m)
}

// prove returns the field `sig`, a signature of the shared key, always in X9.31. It is the same for
// all minions until the key changes.
func (i *Identity) prove(aes string) ([]byte, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.aesSig != nil && i.aesKey == aes {
		return i.aesSig, nil
	}
	sum := sha256.Sum256([]byte(aes))
	sig, err := crypt.X931Sign(i.Pair.Private, hex.AppendEncode(nil, sum[:]))
	if err != nil {
		return nil, fmt.Errorf("prove shared key: %w", err)
	}
	i.aesKey, i.aesSig = aes, sig
	return sig, nil
}

func (i *Identity) signed(a Auth, m *wire.Map) ([]byte, error) {
	if !crypt.ValidSigning(a.SigAlgo) {
		return BadSigAlgo()
	}
	load, err := wire.Encode(m)
	if err != nil {
		return nil, fmt.Errorf("answer sign-in of %q: %w", a.ID, err)
	}
	sig, err := crypt.Sign(a.SigAlgo, i.Pair.Private, load)
	if err != nil {
		return nil, fmt.Errorf("answer sign-in of %q: %w", a.ID, err)
	}
	return wire.Encode(wire.NewMap("enc", "clear", "load", load, "sig", sig))
}

// BadEncAlgo returns the reply to an unknown enc_algo.
func BadEncAlgo() ([]byte, error) { return clearRet("bad enc algo") }

// BadSigAlgo returns the reply to an unknown sig_algo, which cannot be signed.
func BadSigAlgo() ([]byte, error) { return clearRet("bad sig algo") }

func clearRet(ret any) ([]byte, error) {
	return wire.Encode(wire.NewMap("enc", "clear", "load", wire.NewMap("ret", ret)))
}
