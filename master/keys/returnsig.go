package keys

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// CheckReturn applies require_minion_sign_messages and drop_messages_signature_fail. load is the
// return as received. It returns an error if the return is to be dropped.
func (s *Signatures) CheckReturn(ret wire.Return, load wire.Raw) error {
	if len(ret.Sig) == 0 {
		if s.o.Require {
			return errUnsigned
		}
		return nil
	}
	err := s.verify(ret, load)
	if err == nil {
		return nil
	}
	s.o.Log.Warn("return signature invalid", "minion", ret.ID, "jid", ret.JID, "dropped", s.o.Drop, "err", err)
	if s.o.Drop {
		return fmt.Errorf("invalid signature (drop_messages_signature_fail): %w", err)
	}
	return nil
}

var errUnsigned = errors.New("not signed, but require_minion_sign_messages is set; set minion_sign_messages on the minion")

func (s *Signatures) verify(ret wire.Return, load wire.Raw) error {
	pub, err := s.o.Keys.PublicKey(ret.ID)
	if err != nil {
		return err
	}
	// A return names neither form nor algorithm, so all that Salt's minions use are tried.
	// The fields that the early form leaves out have no effect.
	for _, form := range []func(wire.Raw) ([]byte, error){wire.SignedBytes, wire.EarlySignedBytes} {
		var signed []byte
		if signed, err = form(load); err != nil {
			return err
		}
		for _, algorithm := range []string{crypt.PKCS1SHA1, crypt.PKCS1SHA224} {
			if err = crypt.Verify(algorithm, pub, signed, ret.Sig); err == nil {
				return nil
			}
		}
	}
	return err
}
