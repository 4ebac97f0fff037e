package keys

import (
	"fmt"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Tend rotates the shared key if a rotation was requested or the key is too old. The master calls it
// every second.
func (r *Ring) Tend() {
	asked, err := TakeRotation(r.o.Config.Cachedir)
	if err != nil {
		r.o.Log.Warn("key rotation request ignored", "err", err)
	}
	if asked || r.Shared.Age() > r.o.Config.PublishSession {
		r.rotated(r.Shared.Rotate(), asked)
	}
	r.renew()
}

// Revoked schedules a rotation after a key was deleted or replaced, so that its owner cannot read
// further publications: within the bound GuestRotation for a guest, and at once for others.
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

// renew rotates the shared key if a rotation is due after a revocation.
func (r *Ring) renew() {
	if due, err := r.Shared.Renew(); due {
		r.rotated(err, false)
	}
}

// rotated logs and announces a rotation, or logs its error.
func (r *Ring) rotated(err error, asked bool) {
	if err != nil {
		r.o.Log.Error("AES key not rotated", "err", err)
		return
	}
	r.o.Log.Info("AES key rotated", "by_dropfile", asked)
	r.o.Fire("key", wire.NewMap("rotate_aes_key", true))
	for _, f := range r.onRotated {
		f()
	}
}

// Seal rotates the shared key if due, encrypts a publication with it, and passes the envelope to
// send; see [Shared.Seal].
func (r *Ring) Seal(p wire.Publication, number func(*wire.Publication), send func(body []byte) error) error {
	//mutant:shared-key-before-publication
	r.renew() // a revoked minion cannot read this publication
	return r.Shared.Seal(p, number, func(cipher []byte) error {
		body, err := r.Envelope(cipher)
		if err != nil {
			return err
		}
		return send(body)
	})
}

// Envelope wraps a ciphertext, signed if publications are signed.
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
