package peers

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
)

// tellPresence fires the events of presence_events, which are due once each loop_interval
// (Salt wire reference §11.3). Minions that do not announce themselves are not among them.
func (s *Service) tellPresence(r *presence.Snapshot) {
	now, came, gone := r.Update(s.Peers())
	if len(came)+len(gone) > 0 {
		s.o.Fire("salt/presence/change", wire.NewMap("new", came, "lost", gone))
	}
	s.o.Fire("salt/presence/present", wire.NewMap("present", now))
}
