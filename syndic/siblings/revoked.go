package siblings

import (
	"errors"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// revokedKeys tracks which revoked keys a parent knows of: the checksums it acknowledged, that were
// last sent to it, and of the keys received from it.
type revokedKeys struct{ acked, sent, received string }

// known reports whether the parent knows these keys, or they were just sent.
func (g *revokedKeys) known(keys []sibling.Gone) bool {
	sum := sibling.SumGone(keys)
	return g.acked == sum || g.sent == sum
}

// ask adds to a question the keys that the parent does not know.
func (g *revokedKeys) ask(question *wire.Map, keys []sibling.Gone) {
	question.Set("have_gone", g.received)
	if sum := sibling.SumGone(keys); g.acked != sum {
		question.Set("gone", sibling.GoneMaps(keys))
		g.sent = sum
	}
}

// receive processes the answer. Earlier versions, and masters that have not admitted this node,
// send no such fields.
func (g *revokedKeys) receive(local Failover, reply *wire.Map) error {
	if !reply.Has("gone_have") {
		g.acked = sibling.SumGone(local.RevokedKeys())
		return nil
	}
	g.acked = reply.String("gone_have")
	if !reply.Has("gone") {
		return nil
	}
	gone, bad := sibling.ReadGone(reply.List("gone"))
	err := local.AddRevoked(gone)
	if err == nil {
		g.received = sibling.SumGone(gone)
	}
	return errors.Join(bad, err)
}
