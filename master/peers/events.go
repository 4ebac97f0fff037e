package peers

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
)

// firePresence fires the events of presence_events, once per loop_interval. They list only minions
// that announce themselves.
func (s *Service) firePresence(r *presence.Snapshot) {
	now, came, gone := r.Update(s.Peers())
	if len(came)+len(gone) > 0 {
		s.o.Fire("salt/presence/change", wire.NewMap("new", came, "lost", gone))
	}
	s.o.Fire("salt/presence/present", wire.NewMap("present", now))
}
