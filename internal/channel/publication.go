package channel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// suspicion limits sign-ins caused by unreadable publications: the pause grows after each one
// that did not help. c.mu guards it.
type suspicion struct {
	until time.Time
	pause time.Duration
}

const (
	suspicionMin = time.Second
	suspicionMax = 30 * time.Second
)

// OpenPublication verifies and decrypts the body of a publication. If it is encrypted under a
// new shared key, the channel signs in again at once and decrypts the same message, so a key
// rotation loses no job (Salt wire reference §7, §10.2).
//
// If a publication is refused because this master does not sign, OpenPublication returns its
// content together with the error. The job must not run, but its master waits for an answer.
func (c *Channel) OpenPublication(ctx context.Context, body []byte) (wire.Publication, error) {
	k, p, err := c.openPublication(ctx, body)
	if err != nil {
		return p, err
	}
	if err := c.checkSerial(k, p); err != nil {
		return wire.Publication{}, err
	}
	return p, nil
}

// checkSerial checks that serials rise, and that a master that has sent one serial sends one
// with each publication. All masters that sign replies do, except clusters of Salt 3008.
func (c *Channel) checkSerial(k *credentials, p wire.Publication) error {
	const op = "open a publication"
	switch {
	//mutant:publication-serial-missing
	case !p.HasSerial && c.serials.holds(k.masterSum):
		return c.fail(op, ErrReplayed, "it has no serial, and this master has numbered its publications before",
			"another machine may publish there; if the master was replaced on purpose by one that does not number them, remove "+c.serials.path)
	case !p.HasSerial:
		return nil
	//mutant:cve2022-22936-serial
	case !k.serial.accept(p.Serial):
		return c.fail(op, ErrReplayed, fmt.Sprintf("serial %d", p.Serial), "")
	}
	if err := c.serials.note(k.masterSum); err != nil {
		c.log.Warn("not saved that the master numbers its publications", "err", err)
	}
	return nil
}

// openPublication is [Channel.OpenPublication] without the check of the serial.
func (c *Channel) openPublication(ctx context.Context, body []byte) (*credentials, wire.Publication, error) {
	const op = "open a publication"
	refuse := func(err error) (*credentials, wire.Publication, error) { return nil, wire.Publication{}, err }
	k, err := c.credentials(ctx)
	if err != nil {
		return refuse(err)
	}
	env, err := wire.ParseEnvelope(body)
	if err != nil {
		return refuse(c.fail(op, ErrBadReply, err.Error(), ""))
	}
	if env.Enc != "aes" {
		//mutant:cve2016-1866-clear
		return refuse(c.fail(op, ErrUnauthentic, "it is not encrypted", ""))
	}
	unsigned := c.checkPublication(k, env)
	//mutant:cve2017-7893-signatures
	if unsigned != nil && (len(env.Sig) > 0 || c.signs.holds(k.masterSum)) {
		return refuse(unsigned) // it is not from this master, so its content must not be answered either
	}
	plain, err := k.shared.Open(env.Cipher)
	if errors.Is(err, crypt.ErrAuth) && unsigned == nil {
		k, plain, err = c.openWithNewKeys(ctx, k, env.Cipher)
	}
	if err != nil && unsigned != nil {
		return refuse(unsigned)
	}
	if err != nil {
		var known *Error
		if errors.As(err, &known) {
			return refuse(err)
		}
		return refuse(c.fail(op, ErrUnauthentic, err.Error(), ""))
	}
	p, err := wire.ParsePublication(plain)
	if err != nil {
		return refuse(c.fail(op, ErrBadReply, err.Error(), ""))
	}
	//mutant:unsigned-jobs-are-answered
	return k, p, unsigned
}

// checkPublication verifies the master's signature over the ciphertext. A master that has
// signed once must always sign, because all accepted minions have the key that encrypts
// publications.
func (c *Channel) checkPublication(k *credentials, env wire.Envelope) error {
	const op, hint = "open a publication", "another machine may publish there; look at the master"
	if len(env.Sig) == 0 {
		switch {
		case c.cfg.SignPubMessages:
			return c.fail(op, ErrBadSignature, "it is not signed", "set sign_pub_messages: True on the master, or False here")
		//mutant:held-to-signatures
		case c.signs.holds(k.masterSum):
			return c.fail(op, ErrBadSignature, "it is not signed, and this master has signed before",
				"another machine may publish there; if sign_pub_messages was switched off at the master on purpose, remove "+c.signs.path)
		}
		return nil
	}
	//mutant:reply-as-publication
	if wire.IsSignedMap(env.Cipher) { // the key signs such maps for anybody who asks
		return c.fail(op, ErrBadSignature, "what is signed is a reply, not a publication", hint)
	}
	alg := or(env.SigAlgo, crypt.PKCS1SHA1)
	//mutant:wrong-signatures
	if err := crypt.Verify(alg, k.masterKey, env.Cipher, env.Sig); err != nil {
		return c.fail(op, ErrBadSignature, err.Error(), hint)
	}
	if err := c.signs.note(k.masterSum); err != nil {
		c.log.Warn("not saved that the master signs its publications", "err", err)
	}
	return nil
}

// openWithNewKeys signs in again and decrypts cipher with the new keys.
func (c *Channel) openWithNewKeys(ctx context.Context, k *credentials, cipher []byte) (*credentials, []byte, error) {
	if !c.maySuspect() {
		return k, nil, crypt.ErrAuth
	}
	// A publication just arrived from the master, so it answers soon or not at all. The
	// caller's stream must not block longer than this.
	ctx, cancel := context.WithTimeout(ctx, 4*c.cfg.AuthTimeout)
	defer cancel()
	for {
		fresh, joined, err := c.refresh(ctx, k.Seq)
		if err != nil {
			return k, nil, err
		}
		k = fresh
		plain, err := k.shared.Open(cipher)
		if err == nil {
			c.clearSuspicion()
			return k, plain, nil
		}
		// A sign-in that another caller began may have been answered before the rotation. Only
		// a new one is conclusive.
		if !joined {
			c.raiseSuspicion()
			return k, nil, err
		}
	}
}

func (c *Channel) maySuspect() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.cfg.Now().Before(c.garbage.until)
}

func (c *Channel) raiseSuspicion() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.garbage.pause = min(max(2*c.garbage.pause, suspicionMin), suspicionMax)
	c.garbage.until = c.cfg.Now().Add(c.garbage.pause)
}

func (c *Channel) clearSuspicion() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.garbage = suspicion{}
}
