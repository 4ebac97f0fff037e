package syndic

import (
	"context"

	"github.com/momtree/mom/internal/jobevent"
)

// oweMoved makes every master above one that the words on a job are owed to, as its
// returns are, see [origins.Strangers], when a minion has come at work on it and nobody has
// asked this node for it. One that did not ask keeps what another one may be waiting
// for.
func (p *parents) oweMoved(ctx context.Context, x jobevent.Expectation) {
	if len(p.links) < 2 || !x.Moved || len(p.origins.Of(x.JID, "")) > 0 {
		return
	}
	for _, l := range p.links {
		p.origins.Learn(l.ch.Addr(), x.JID)
	}
	p.keep(ctx, x.JID, p.links...)
}
