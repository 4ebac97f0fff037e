package swarm

import (
	"bytes"
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Why a sign-in was not accepted.
var (
	errPending  = errors.New("the key is not accepted yet")
	errRefused  = errors.New("the master refuses the key")
	errFull     = errors.New("the master takes no more minions")
	errBadReply = errors.New("the master's answer cannot be read")
)

// masterKey is the master's key as all minions of a swarm know it.
type masterKey struct {
	pem string
	pub *rsa.PublicKey
}

// credentials are what an accepted sign-in gave.
type credentials struct {
	press   *press
	session string // the session key; "" for protocol 2
	port    int    // of publications
}

// signInBody is the request of salt-minion (Salt wire reference §6.1). known is the
// master's key if this minion has pinned one.
func signInBody(id, pub, nonce, challenge string, protocol int, known *masterKey) ([]byte, error) {
	load := wire.NewMap("cmd", "_auth", "id", id, "nonce", nonce)
	if protocol >= 3 {
		load.Set("enc_algo", encAlgo)
		load.Set("sig_algo", sigAlgo)
	}
	if known != nil {
		token, err := crypt.Encrypt(encAlgo, known.pub, []byte(challenge))
		if err != nil {
			return nil, fmt.Errorf("challenge: %w", err)
		}
		load.Set("token", token)
	}
	load.Set("pub", crypt.CleanPEM(pub))
	raw, err := wire.Encode(load)
	if err != nil {
		return nil, err
	}
	return wire.Envelope{Enc: "clear", Load: raw, Version: protocol, HasVersion: true}.Encode()
}

// answered is a sign-in reply of which the sender's checks have passed.
type answered struct {
	master       *masterKey
	aes, session string
	port         int
}

// judgeSignIn checks a reply as salt-minion does (Salt wire reference §6.3). known is
// the pinned key; a reply of first contact is held against the key that it brings.
func judgeSignIn(body []byte, nonce, challenge string, protocol int, pair *rsa.PrivateKey, known *masterKey, token bool) (answered, error) {
	load, sig, err := cutSignIn(body)
	if err != nil {
		return answered{}, err
	}
	in, err := wire.DecodeMap(load)
	if err != nil {
		return answered{}, fmt.Errorf("%w: %w", errBadReply, err)
	}
	a := answered{master: known}
	if text := in.String("pub_key"); text != "" && (known == nil || known.pem != text) {
		if known != nil && crypt.CleanPEM(text) != crypt.CleanPEM(known.pem) {
			return answered{}, errors.New("the master's key has changed")
		}
		pub, err := crypt.ParsePublicPEM(text)
		if err != nil {
			return answered{}, fmt.Errorf("%w: pub_key: %w", errBadReply, err)
		}
		a.master = &masterKey{text, pub}
	}
	if a.master != nil {
		if err := crypt.Verify(sigAlgo, a.master.pub, load, sig); err != nil {
			return answered{}, fmt.Errorf("%w: %w", errBadReply, err)
		}
	}
	if in.String("nonce") != nonce {
		return answered{}, fmt.Errorf("%w: it has another nonce", errBadReply)
	}
	if ret, ok := in.Get("ret"); ok {
		switch ret {
		case true:
			return answered{}, errPending
		case "full":
			return answered{}, errFull
		}
		return answered{}, errRefused
	}
	return a, a.open(in, challenge, protocol, pair, token)
}

// open decrypts the keys of an accepting reply.
func (a *answered) open(in *wire.Map, challenge string, protocol int, pair *rsa.PrivateKey, token bool) error {
	field := func(name string) (string, error) {
		plain, err := crypt.Decrypt(encAlgo, pair, in.Bytes(name))
		if err != nil {
			return "", fmt.Errorf("%w: %s: %w", errBadReply, name, err)
		}
		return string(plain), nil
	}
	if a.master == nil {
		return fmt.Errorf("%w: no pub_key", errBadReply)
	}
	var err error
	if a.aes, err = field("aes"); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(a.aes))
	digest, err := crypt.X931Open(a.master.pub, in.Bytes("sig"))
	if err != nil || !bytes.Equal(digest, []byte(hex.EncodeToString(sum[:]))) {
		return fmt.Errorf("%w: the shared key is not signed by the master", errBadReply)
	}
	if token {
		if got, err := field("token"); err != nil || got != challenge {
			return fmt.Errorf("%w: it does not answer the challenge", errBadReply)
		}
	}
	if protocol >= 3 {
		if !in.Has("session") {
			return fmt.Errorf("%w: no session key: the master speaks protocol 2", errBadReply)
		}
		if a.session, err = field("session"); err != nil {
			return err
		}
	}
	if a.port = int(in.Int("publish_port")); a.port < 1 || a.port > 65535 {
		return fmt.Errorf("%w: publish_port %d", errBadReply, a.port)
	}
	return nil
}

// cutSignIn gives the signed bytes of a reply and their signature.
func cutSignIn(body []byte) (load, sig []byte, err error) {
	if text, err := wire.Str(body); err == nil {
		return nil, nil, fmt.Errorf("%w: the master says %.100q", errRefused, text)
	}
	err = wire.Fields(body, func(key string, val wire.Raw) (err error) {
		switch key {
		case "load":
			load, err = wire.Bytes(val)
		case "sig":
			sig, err = wire.Bytes(val)
		}
		return err
	})
	if err == nil && load == nil {
		err = errors.New("no field load")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errBadReply, err)
	}
	return load, sig, nil
}

// attempt is one sign-in with Salt's tries.
func (m *minion) attempt(ctx context.Context) (credentials, error) {
	s, key := m.swarm, m.key
	known := s.master.Load()
	pinned := known
	if !m.pinned.Load() {
		pinned = nil
	}
	nonce := wire.NewNonce()
	var body []byte
	var err error
	deep(func() { body, err = signInBody(m.id, key.Public, nonce, s.challenge, s.cfg.Protocol, pinned) })
	if err != nil {
		return credentials{}, err
	}
	reply, err := m.send(ctx, body, s.cfg.Timers.AuthTimeout, s.cfg.Timers.AuthTries, nil)
	if err != nil {
		return credentials{}, err
	}
	var a answered
	deep(func() {
		var pair *crypt.KeyPair
		if pair, err = key.Pair(); err == nil {
			a, err = judgeSignIn(reply, nonce, s.challenge, s.cfg.Protocol, pair.Private, known, pinned != nil)
		}
	})
	if err != nil {
		return credentials{}, err
	}
	s.master.CompareAndSwap(nil, a.master)
	m.pinned.Store(true)
	p, err := s.press(a.aes)
	if err != nil {
		return credentials{}, err
	}
	s.signIns.Add(1)
	return credentials{p, a.session, a.port}, nil
}
