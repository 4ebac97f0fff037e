package master

import (
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// signatureOK applies require_minion_sign_messages and
// drop_messages_signature_fail.
func (m *Master) signatureOK(ret wire.Return, load wire.Raw) bool {
	if len(ret.Sig) == 0 {
		if m.cfg.RequireMinionSignMessages {
			m.log.Warn("A return without signature was dropped: require_minion_sign_messages is set", "id", ret.ID, "jid", ret.JID)
		}
		return !m.cfg.RequireMinionSignMessages
	}
	err := m.verifyReturn(ret, load)
	if err == nil {
		return true
	}
	m.log.Warn("The signature of a return does not verify", "id", ret.ID, "jid", ret.JID, "dropped", m.cfg.DropMessagesSignatureFail, "err", err)
	return !m.cfg.DropMessagesSignatureFail
}

func (m *Master) verifyReturn(ret wire.Return, load wire.Raw) error {
	pub, err := m.keys.PublicKey(ret.ID)
	if err != nil {
		return err
	}
	signed, err := wire.SignedBytes(load)
	if err != nil {
		return err
	}
	// The return does not name its algorithm; both of Salt's are tried.
	if err = crypt.Verify(crypt.PKCS1SHA1, pub, signed, ret.Sig); err != nil {
		err = crypt.Verify(crypt.PKCS1SHA224, pub, signed, ret.Sig)
	}
	return err
}
