package master

import (
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
)

// tellPresence fires the events of presence_events once each loop_interval (Salt
// wire reference §11.3). Minions that do not announce themselves are not among them.
func (m *Master) tellPresence() {
	every := time.NewTicker(m.cfg.LoopInterval)
	defer every.Stop()
	var r presence.Roll
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-every.C:
		}
		now, came, gone := r.Call(m.presence.Peers())
		if len(came)+len(gone) > 0 {
			m.fire("salt/presence/change", wire.NewMap("new", came, "lost", gone))
		}
		m.fire("salt/presence/present", wire.NewMap("present", now))
	}
}
