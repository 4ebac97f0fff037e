package failover

import (
	"time"

	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/sibling"
)

// The time over which those who hear that there are other siblings ask for them: so
// long for each that a question costs a fraction of it. Nodes get a list with a key
// for each of them, so that what all ask for grows with the square of their number.
const (
	askMinions = 200 * time.Microsecond
	askNodes   = 5 * time.Millisecond
	askWithin  = 250 * time.Millisecond // at least
)

// tell tells the minions and nodes of ours that are connected here, or the nodes alone, that
// the siblings they would be told are others. It gives the time over which they ask for them.
func (s *Service) tell(nodesAlone bool) (within time.Duration) {
	minions, nodes, conns := s.Presence.Audience(nodesAlone)
	within = max(askWithin, time.Duration(minions)*askMinions, time.Duration(nodes)*askNodes)
	if len(conns) == 0 || !s.Config.Rehome {
		return within
	}
	p, err := nodecall.News{What: sibling.News, Within: within}.Publication()
	if err == nil {
		err = s.Publish(p, conns)
	}
	if err != nil {
		s.Log.Warn("sibling list not pushed to peers", "err", err)
	}
	return within
}
