package channel

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// proven are the commands whose load has tok in version 2; in version 3 every load has it (Salt
// wire reference §8.2).
var proven = map[string]bool{
	"_minion_event": true, "_master_tops": true, "_ext_nodes": true, "_file_recv": true,
	"_mine": true, "_mine_get": true, "_mine_delete": true, "_mine_flush": true,
	"minion_pub": true, "minion_publish": true, "minion_runner": true, "pub_ret": true,
	"revoke_auth": true, "_register_resources": true, "_presence": true, "_missed": true,
}

// bare are the commands whose load has only cmd in version 2. Python masters of that version
// pass all other fields to a function that does not accept them, and answer with a failure.
var bare = map[string]bool{"_file_envs": true}

// Request sends load encrypted and returns the decrypted value. It adds nonce, id, ts and tok
// as the protocol version requires; load itself is not changed.
func (c *Channel) Request(ctx context.Context, load *wire.Map) (wire.Raw, error) {
	return c.request(ctx, load, c.patience(), false)
}

// Return sends a `_return` load and waits for the master's acknowledgement. With
// MinionSignMessages it signs the load.
func (c *Channel) Return(ctx context.Context, load *wire.Map) error {
	p := patience{
		timeout: c.cfg.ReturnTimeout + rand.N(c.cfg.ReturnTimeoutMax-c.cfg.ReturnTimeout+1),
		tries:   c.cfg.ReturnTries,
	}
	v, err := c.request(ctx, load, p, c.cfg.MinionSignMessages)
	if err == nil && wire.KindOf(v) == wire.Boolean && !wire.Truth(v) { // Salt's form of a refusal
		c.log.Error("master dropped a return: signature missing or invalid", "hint", "check minion_sign_messages here and require_minion_sign_messages on the master",
			"jid", load.String("jid"))
	}
	return err
}

// patience is the timeout of a request and the number of its tries.
type patience struct {
	timeout time.Duration
	tries   int
}

func (c *Channel) patience() patience { return patience{c.cfg.RequestTimeout, c.cfg.RequestTries} }

func (c *Channel) request(ctx context.Context, load *wire.Map, p patience, sign bool) (wire.Raw, error) {
	var value wire.Raw
	err := c.converse(ctx, load, p, sign, func(k *credentials, body []byte, nonce string) error {
		var err error
		value, err = openReply(k, body, nonce)
		return err
	})
	return value, err
}

// converse sends load and passes the reply to read. If the reply is not encrypted under our
// keys, they have changed: converse signs in again and sends the load once more (Salt wire
// reference §4).
func (c *Channel) converse(ctx context.Context, load *wire.Map, p patience, sign bool,
	read func(k *credentials, body []byte, nonce string) error,
) error {
	op := "request " + load.String("cmd")
	k, err := c.credentials(ctx)
	if err != nil {
		return err
	}
	for second := false; ; second = true {
		nonce := wire.NewNonce()
		var body []byte
		c.cfg.Deep(func() { body, err = c.seal(k, load, nonce, sign) })
		if err != nil {
			return c.fail(op, err, "encode the load", "")
		}
		wait := p.timeout + time.Duration(len(body)>>20)*time.Second
		reply, err := c.exchange(ctx, op, body, wait, p.tries)
		if err != nil {
			return err
		}
		c.cfg.Deep(func() { err = read(k, reply, nonce) })
		if err == nil {
			return nil
		}
		if err = c.unread(op, err, second); err != nil {
			return err
		}
		if k, _, err = c.refresh(ctx, k.Seq); err != nil {
			return err
		}
	}
}

// unread returns the error for a reply that could not be read; second says that it was the
// second one. nil means that the keys are out of date.
func (c *Channel) unread(op string, err error, second bool) error {
	var refused *refusal
	if !errors.As(err, &refused) {
		return c.fail(op, err, "", "")
	}
	if refused.text == quote(wire.NotNow) {
		return c.fail(op, ErrNotNow, "", "its log says why: a full outbox, a disk that cannot be written, or no answer from the master above it")
	}
	if second && refused.text == quote(handlerFailed) {
		return c.fail(op, ErrFailed, "", "look at the master's log")
	}
	if second {
		return c.fail(op, ErrRefused, refused.Error(), "look at the master's log; the key must be accepted there and both clocks right")
	}
	c.log.Debug("keys are out of date, signing in again", "op", op, "answer", refused.Error())
	return nil
}

// handlerFailed is the reply of a master whose handler failed.
const handlerFailed = "Some exception handling minion payload"

// seal encodes and encrypts a request.
func (c *Channel) seal(k *credentials, load *wire.Map, nonce string, sign bool) ([]byte, error) {
	load = load.Clone()
	if k.Version >= 3 {
		load.Set("nonce", nonce)
		load.Set("ts", c.cfg.Now().Unix())
		load.Set("tok", c.tok)
		load.Set("id", c.cfg.ID)
	} else if proven[load.String("cmd")] {
		load.Set("tok", c.tok)
	} else if cmd := load.String("cmd"); bare[cmd] {
		load = wire.NewMap("cmd", cmd)
	}
	if sign {
		// The signature does not cover nonce and tok, so in both versions these are the bytes
		// that the master verifies (Salt wire reference §9.1).
		raw, err := wire.Encode(load)
		if err != nil {
			return nil, err
		}
		text, err := wire.SignedBytes(raw)
		if err != nil {
			return nil, err
		}
		sig, err := crypt.Sign(c.cfg.SigningAlgorithm, c.pair.Private, text)
		if err != nil {
			return nil, err
		}
		load.Set("sig", sig)
	}
	if k.Version < 3 {
		load.Set("nonce", nonce)
	}
	raw, err := wire.Encode(load)
	if err != nil {
		return nil, err
	}
	cipher, err := k.requests().Seal("", raw)
	if err != nil {
		return nil, err
	}
	e := wire.Envelope{
		Enc: "aes", Cipher: cipher, Version: k.Version, HasVersion: true,
		EncAlgo: c.cfg.EncryptionAlgorithm, SigAlgo: c.cfg.SigningAlgorithm,
	}
	if k.Version >= 3 {
		e.ID = c.cfg.ID
	}
	return e.Encode()
}

// refusal is a reply that was not encrypted for us.
type refusal struct{ text string }

func (r *refusal) Error() string { return "the answer was " + r.text }
func (r *refusal) Unwrap() error { return ErrUnauthentic }

// openReply decrypts a reply. Everything that is not encrypted under our key is a refusal, even
// an empty value: an unsigned acknowledgement is worthless.
func openReply(k *credentials, body []byte, nonce string) (wire.Raw, error) {
	frame, err := wire.Bytes(body)
	if err != nil {
		return nil, &refusal{describe(body)}
	}
	plain, err := k.requests().OpenNonce(frame, nonce)
	switch {
	case errors.Is(err, crypt.ErrAuth):
		return nil, &refusal{quote(string(frame))}
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrBadNonce, err)
	}
	if err := wire.Scan(plain, wire.Limits{}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadReply, err)
	}
	return plain, nil
}

// describe returns an unencrypted reply for a message.
func describe(body []byte) string {
	v, err := wire.Decode(body)
	if err != nil {
		return "no msgpack"
	}
	if m, ok := v.(*wire.Map); ok {
		for _, field := range []string{"error", "msg"} {
			if text := m.String(field); text != "" {
				return quote(text)
			}
		}
		return fmt.Sprintf("a clear map of %d fields", m.Len())
	}
	return quote(fmt.Sprint(v))
}
