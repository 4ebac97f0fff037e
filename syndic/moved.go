package syndic

import (
	"context"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
)

// oweMoved makes every master above one that the words on a job are owed to, as its
// returns are, see [origins.Strangers], when a minion has come at work on it and nobody has
// asked this node for it. One that did not ask keeps what another one may be waiting
// for.
func (p *parents) oweMoved(ctx context.Context, e bus.Event) {
	id, kind, _, _ := jobevent.Parse(e.Tag)
	if len(p.links) < 2 || kind != jobevent.KindExpectation || len(p.origins.Of(id, "")) > 0 {
		return
	}
	if x, err := jobevent.DecodeExpectation(id, e.Data); err != nil || !x.Moved {
		return
	}
	for _, l := range p.links {
		p.origins.Learn(l.ch.Addr(), id)
	}
	p.keep(ctx, id, p.links...)
}
