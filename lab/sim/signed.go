package sim

import (
	"bytes"
	"crypto/rsa"
	"math/big"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
)

// signature is how a minion signs its returns.
type signature uint8

const (
	signedWell  signature = iota // valid; the verification is not simulated
	notSigned                    // a stock minion without minion_sign_messages
	signedWrong                  // by a key other than the accepted one
)

// signs returns how a minion signs.
func (w *World) signs(g int) signature {
	switch x := share(uint64(g), 903); {
	case x < w.o.Unsigned/2:
		return notSigned
	case x < w.o.Unsigned:
		return signedWrong
	}
	return signedWell
}

// strict reports whether a node accepts signed returns only: require_minion_sign_messages and
// drop_messages_signature_fail.
func (n *node) strict() bool { return share(uint64(n.idx), 904) < n.w.o.Strict }

// wrongSignature has the length of a real signature.
var wrongSignature = bytes.Repeat([]byte{1}, 256)

// anyKey returns a key that verifies no signature, for minions that sign with a wrong one.
type anyKey struct{}

// PublicKey is described at [keys.SignaturesOptions].
func (anyKey) PublicKey(string) (*rsa.PublicKey, error) {
	n := new(big.Int).Lsh(big.NewInt(1), 2048)
	return &rsa.PublicKey{N: n.Sub(n, big.NewInt(1)), E: 65537}, nil
}

// checkSignature returns the error for which the product drops a return. Valid signatures are not
// simulated, so they pass unchecked.
func (n *node) checkSignature(g int, ret wire.Return, load wire.Raw) error {
	if n.w.signs(g) == signedWell {
		return nil
	}
	s := keys.NewSignatures(keys.SignaturesOptions{Require: n.strict(), Drop: n.strict(), Keys: anyKey{}, Log: n.w.log, Now: n.wall})
	err := s.CheckReturn(ret, load)
	switch {
	case err != nil && len(ret.Sig) == 0:
		n.w.reach(markUnsigned)
	case err != nil:
		n.w.reach(markWronglySigned)
	}
	return err
}
