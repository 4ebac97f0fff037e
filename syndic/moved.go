package syndic

import (
	"context"

	"github.com/momtree/mom/internal/jobevent"
)

// requestMoved records every parent as a requester of a job that arrived with a minion and that no
// parent requested here. Any of them may be waiting for its reports and returns; see
// [origins.Unrequested]. A parent that did not request the job ignores them.
func (p *parents) requestMoved(ctx context.Context, x jobevent.Expectation) {
	if len(p.links) < 2 || !x.Moved || len(p.origins.Of(x.JID, "")) > 0 {
		return
	}
	for _, l := range p.links {
		p.origins.Learn(l.ch.Addr(), x.JID)
	}
	p.saveRequests(ctx, x.JID, p.links...)
}
