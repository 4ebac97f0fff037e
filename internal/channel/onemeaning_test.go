package channel

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
)

// form is one kind of signed bytes: how the product makes them, and whether a reader accepts
// some bytes as that kind.
type form struct {
	bytes, sig []byte
	reads      func(b, sig []byte) bool
}

// oneKey returns the minion's key for every id.
type oneKey struct{ pub *rsa.PublicKey }

func (k oneKey) PublicKey(string) (*rsa.PublicKey, error) { return k.pub, nil }

// A signature for one purpose is not valid for another, even if one key signs everything with
// one hash. The test offers the bytes and the signature of each kind
// (docs/design/signatures.md) to the reader of each other kind, with the right nonces, ids and
// keys.
func TestSignatures_OneMeaning(t *testing.T) {
	forms := signedForms(t)
	for name, f := range forms {
		if !f.reads(f.bytes, f.sig) {
			t.Errorf("%s is not read as what it is", name)
		}
		for other, g := range forms {
			if other != name && g.reads(f.bytes, f.sig) {
				t.Errorf("%s is taken for %s", name, other)
			}
		}
		if isMap := wire.Scan(f.bytes, wire.Limits{}) == nil && wire.IsMap(f.bytes); isMap && name != "return" && !wire.IsSignedMap(f.bytes) {
			t.Errorf("%s is a map that a publication may begin as", name)
		}
	}
	if len(forms) != 13 {
		t.Errorf("%d kinds, docs/design/signatures.md has 12 rows, one of them for two kinds", len(forms))
	}
}

func signedForms(t *testing.T) map[string]form {
	t.Helper()
	const alg = crypt.PKCS1SHA224
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	cfg.SigningAlgorithm = alg
	c := signedIn(t, cfg)
	k, key, now := c.current(), m.Key.Private, time.Now()
	must := func(b []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	encode := func(kv ...any) []byte { return must(wire.Encode(wire.NewMap(kv...))) }
	sign := func(b []byte) []byte { return must(crypt.Sign(alg, key, b)) }
	verified := func(b, sig []byte) bool { return crypt.Verify(alg, &key.PublicKey, b, sig) == nil }
	fields := func(reply []byte, body, sig string) ([]byte, []byte) {
		d, err := wire.DecodeMap(reply)
		if err != nil {
			t.Fatal(err)
		}
		return d.Bytes(body), d.Bytes(sig)
	}
	forms := map[string]form{}

	pinned, err := newPin(m.Key.PublicPEM)
	if err != nil {
		t.Fatal(err)
	}
	nonce := wire.NewNonce()
	auth := keys.Auth{Version: 3, ID: "m1", Nonce: nonce, EncAlgo: crypt.OAEPSHA1, SigAlgo: alg, HasToken: true}
	auth.Token = must(crypt.Encrypt(auth.EncAlgo, &key.PublicKey, []byte(c.challenge)))
	identity := keys.NewIdentity(m.Key)
	answers := func(fits func(error) bool) func(b, sig []byte) bool {
		return func(b, sig []byte) bool {
			_, err := c.judge(encode("enc", "clear", "load", b, "sig", sig), question{nonce: nonce, pinned: pinned})
			return fits(err)
		}
	}
	b, sig := fields(must(identity.Refuse(auth, keys.Refused)), "load", "sig")
	forms["refused sign-in"] = form{b, sig, answers(func(err error) bool { return errors.Is(err, ErrRejected) })}
	b, sig = fields(must(identity.Admit(auth, c.pair.Public(), keys.Secrets{AES: k.AES, Session: k.Session, PublishPort: 4505})), "load", "sig")
	forms["accepted sign-in"] = form{b, sig, answers(func(err error) bool { return err == nil })}
	inner, err := wire.DecodeMap(b)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(k.AES))
	forms["proof of the shared key"] = form{sum[:], inner.Bytes("sig"), func(_, sig []byte) bool {
		text, err := crypt.X931Open(&key.PublicKey, sig)
		return err == nil && string(text) == hex.EncodeToString(sum[:])
	}}

	job := channeltest.Job("20261126000000000001", "*", "test.ping")
	load := must(wire.Encode(job))
	frame := must(k.shared.Seal("", load))
	forms["publication"] = form{frame, sign(frame), func(b, sig []byte) bool {
		body, err := wire.Envelope{Enc: "aes", Cipher: b, Sig: sig, SigAlgo: alg}.Encode()
		if err == nil {
			_, _, err = c.openPublication(within(t), body)
		}
		return err == nil
	}}

	once := must(crypt.Encrypt(crypt.OAEPSHA1, c.pair.Public(), []byte(crypt.NewKeyString())))
	pillar := encode("key", once, "pillar", wire.NewMap("a", 1), "nonce", nonce)
	forms["pillar"] = form{pillar, sign(pillar), func(b, sig []byte) bool {
		_, err := c.checkPillar(k, encode("data", b, "sig", sig), once, nonce)
		return err == nil
	}}

	list := sibling.List{Parent: "top", At: now, Nodes: []sibling.Node{
		{ID: "n1", Host: "192.0.2.1", Port: 4506, Pub: m.Key.PublicPEM}, {ID: "n2", Host: "192.0.2.2", Port: 4506, Pub: m.Key.PublicPEM},
	}}
	signed, err := list.Sign(key, m.Key.PublicPEM)
	if err != nil {
		t.Fatal(err)
	}
	forms["list of siblings"] = form{signed.Body, signed.Sig, func(b, sig []byte) bool {
		_, err := sibling.Signed{Body: b, Sig: sig, Pub: m.Key.PublicPEM}.Open()
		return err == nil
	}}
	for name, to := range map[string]string{"voucher": "", "transfer": "n2"} {
		v := sibling.Voucher{ID: "m1", Issuer: "n1", Finger: sibling.FingerOf(c.pair.Public()), Made: now, Until: now.Add(time.Minute), To: to}
		b, sig := fields(must(v.Sign(key)), "body", "sig")
		forms[name] = form{b, sig, func(b, sig []byte) bool {
			text, check := encode("body", b, "sig", sig), sibling.Check
			pub := c.PublicPEM()
			if to != "" {
				check, pub = sibling.CheckTransfer, v.Finger
			}
			_, err := check(text, "m1", pub, "n2", []sibling.List{list}, now)
			return err == nil
		}}
	}

	p, err := wire.ParsePublication(load)
	if err != nil {
		t.Fatal(err)
	}
	order, err := jobfields.Sign(key, p, now, now.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	forms["job of the top"] = form{[]byte("mom order 1\n"), []byte(order.String("sig")), func(_, sig []byte) bool {
		o := order.Clone()
		o.Set("sig", string(sig))
		q := p
		q.Extra = wire.NewMap(jobfields.SignatureField, wire.Raw(must(wire.Encode(o))))
		_, _, err := jobfields.NewVerifier(&key.PublicKey).Verify(q, now)
		return err == nil
	}}

	const domain = "mom gossip record\x00" // of topology/gossip, whose reader is not exported
	record := []byte("\x01 a record")
	of := func(b []byte) []byte { d := sha256.Sum256(slices.Concat([]byte(domain), b)); return d[:] }
	forms["gossip"] = form{record, must(rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, of(record))), func(b, sig []byte) bool {
		return rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, of(b), sig) == nil
	}}

	text := []byte(m.Key.PublicPEM)
	forms["master's public key"] = form{text, sign(text), func(b, sig []byte) bool { return verified(text, sig) }}

	returned := wire.NewMap("cmd", "_return", "id", "m1", "jid", "20261126000000000001", "fun", "test.ping", "fun_args", []any{}, "return", true)
	bare := must(wire.SignedBytes(must(wire.Encode(returned))))
	service := keys.NewSignatures(keys.SignaturesOptions{Require: true, Drop: true, Keys: oneKey{&key.PublicKey}, Log: quiet})
	forms["return"] = form{bare, sign(bare), func(b, sig []byte) bool {
		r := returned
		if d, err := wire.DecodeMap(b); err == nil {
			r = d
		}
		r = r.Clone()
		r.Set("sig", sig)
		raw := must(wire.Encode(r))
		ret, err := wire.ParseReturn(raw)
		return err == nil && service.CheckReturn(ret, raw) == nil
	}}
	forms["tok"] = form{[]byte(keys.TokText), must(crypt.X931Sign(key, []byte(keys.TokText))), func(_, sig []byte) bool {
		text, err := crypt.X931Open(&key.PublicKey, sig)
		return err == nil && string(text) == keys.TokText
	}}
	return forms
}
