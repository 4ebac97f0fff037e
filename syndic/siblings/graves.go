package siblings

import (
	"errors"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// graves is what a parent knows of the keys that are gone here, and has told of others.
type graves struct{ said, sent, heard string }

// known tells whether the parent knows of these, or has just been told.
func (g *graves) known(keys []sibling.Gone) bool {
	sum := sibling.SumGone(keys)
	return g.said == sum || g.sent == sum
}

// ask adds to a question what the parent does not know yet.
func (g *graves) ask(question *wire.Map, keys []sibling.Gone) {
	question.Set("have_gone", g.heard)
	if sum := sibling.SumGone(keys); g.said != sum {
		question.Set("gone", sibling.GoneMaps(keys))
		g.sent = sum
	}
}

// hear takes the answer. One without a word of it is an earlier version's, or that of a master
// which has not admitted this node.
func (g *graves) hear(local Failover, reply *wire.Map) error {
	if !reply.Has("gone_have") {
		g.said = sibling.SumGone(local.GoneKeys())
		return nil
	}
	g.said = reply.String("gone_have")
	if !reply.Has("gone") {
		return nil
	}
	gone, bad := sibling.ReadGone(reply.List("gone"))
	err := local.HearGone(gone)
	if err == nil {
		g.heard = sibling.SumGone(gone)
	}
	return errors.Join(bad, err)
}
