package failover

import (
	"time"

	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/sibling"
)

// Peers spread their requests for a new list over this time, per peer: a request costs a
// fraction of it. The list for nodes holds a key of each, so its total cost grows with the
// square of their number.
const (
	askMinions = 200 * time.Microsecond
	askNodes   = 5 * time.Millisecond
	askWithin  = 250 * time.Millisecond // at least
)

// notify asks connected peers, or only nodes, to request the siblings again. It returns the
// time over which their requests are spread.
func (s *Service) notify(nodesAlone bool) (within time.Duration) {
	minions, nodes, conns := s.Presence.Audience(nodesAlone)
	within = max(askWithin, time.Duration(minions)*askMinions, time.Duration(nodes)*askNodes)
	if len(conns) == 0 || !s.Config.Rehome {
		return within
	}
	p, err := nodecall.Change{What: sibling.Changed, Within: within}.Publication()
	if err == nil {
		err = s.Publish(p, conns)
	}
	if err != nil {
		s.Log.Warn("peers not notified of siblings", "err", err)
	}
	return within
}
