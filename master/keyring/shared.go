package keyring

import (
	"fmt"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
)

// Tend makes a new shared key if one was asked for, or that of now is too old. The master
// calls it every second.
func (r *Ring) Tend() {
	asked, err := keys.TakeRotation(r.o.Config.Cachedir)
	if err != nil {
		r.o.Log.Warn("key rotation request ignored", "err", err)
	}
	if asked || r.Shared.Age() > r.o.Config.PublishSession {
		r.rotated(r.Shared.Rotate(), asked)
	}
	r.renew()
}

// Revoked says that the key of an id is gone or another one. Who had it is not to read on: a
// guest of failover not for long, others not at all.
func (r *Ring) Revoked(id string, guest bool) {
	r.Toks.Forget(id)
	switch {
	//mutant:shared-key-after-guests
	case guest:
		r.Shared.RenewWithin(r.o.Config.Bounds.GuestRotation)
	//mutant:cve2016-9639-new-shared-key,shared-key-before-the-next-job
	case r.o.Config.RotateAesKey:
		r.Shared.RenewNow()
	}
}

// renew makes a new shared key if somebody who knows the one of now may not read on.
func (r *Ring) renew() {
	if due, err := r.Shared.Renew(); due {
		r.rotated(err, false)
	}
}

// rotated says that there is a new shared key (Salt wire reference §7), or why there is none.
func (r *Ring) rotated(err error, asked bool) {
	if err != nil {
		r.o.Log.Error("AES key not rotated", "err", err)
		return
	}
	r.o.Log.Info("AES key rotated", "by_dropfile", asked)
	r.o.Fire("key", wire.NewMap("rotate_aes_key", true))
	r.o.Rotated()
}

// Seal is [keys.Shared.Seal] with a key that whoever may not read on does not know, and gives
// send the envelope.
func (r *Ring) Seal(p wire.Publication, number func(*wire.Publication), send func(body []byte) error) error {
	//mutant:shared-key-before-publication
	r.renew() // now, so that the next job is not theirs
	return r.Shared.Seal(p, number, func(cipher []byte) error {
		body, err := r.Envelope(cipher)
		if err != nil {
			return err
		}
		return send(body)
	})
}

// Envelope signs a ciphertext, if publications are signed, and wraps it.
func (r *Ring) Envelope(cipher []byte) ([]byte, error) {
	env := wire.Envelope{Enc: "aes", Cipher: cipher}
	if c := r.o.Config; c.SignPubMessages {
		sig, err := crypt.Sign(c.PublishSigningAlgorithm, r.Identity.Pair.Private, cipher)
		if err != nil {
			return nil, fmt.Errorf("sign: %w", err)
		}
		env.SigAlgo, env.Sig = c.PublishSigningAlgorithm, sig
	}
	return env.Encode()
}
