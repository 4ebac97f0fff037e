package master

import (
	"time"

	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/zmtp"
)

// The time over which those who hear that there are other siblings ask for them: so
// long for each that a question costs a fraction of it. Nodes get a list with a key
// for each of them, so that what all ask for grows with the square of their number.
const (
	askMinions = 200 * time.Microsecond
	askNodes   = 5 * time.Millisecond
	askWithin  = 250 * time.Millisecond // at least
)

// tellSiblings tells the minions and nodes of ours that are connected here, or the
// nodes alone, that the siblings they would be told are others. It gives the time over
// which they ask for them.
func (m *Master) tellSiblings(nodesAlone bool) (within time.Duration) {
	minions, nodes, conns := m.presence.Audience(nodesAlone)
	within = max(askWithin, time.Duration(minions)*askMinions, time.Duration(nodes)*askNodes)
	if len(conns) == 0 || !m.cfg.Rehome {
		return within
	}
	p, err := nodecall.News{What: sibling.News, Within: within}.Publication()
	if err == nil {
		p.JID, p.User = m.jids.Next(), m.user()
		err = m.emitTo(p, []string{"broadcast"}, &zmtp.Choice{IDs: conns})
	}
	if err != nil {
		m.log.Warn("Peers are not told of other siblings; they ask by themselves some time", "err", err)
	}
	return within
}
