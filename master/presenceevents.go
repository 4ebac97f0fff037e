package master

import (
	"maps"
	"slices"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
)

// tellPresence fires the events of presence_events once each loop_interval (Salt
// wire reference §11.3). Minions that do not announce themselves are not among them.
func (m *Master) tellPresence() {
	every := time.NewTicker(m.cfg.LoopInterval)
	defer every.Stop()
	var r roll
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-every.C:
		}
		now, came, gone := r.call(m.presence.Peers())
		if len(came)+len(gone) > 0 {
			m.fire("salt/presence/change", wire.NewMap("new", came, "lost", gone))
		}
		m.fire("salt/presence/present", wire.NewMap("present", now))
	}
}

// roll remembers who was present at the last call.
type roll struct{ last map[string]bool }

// call gives who is present now, and who came and went since the last call, each
// sorted.
func (r *roll) call(peers []presence.Peer) (now, came, gone []string) {
	next := make(map[string]bool, len(peers))
	now, came, gone = []string{}, []string{}, []string{}
	for _, p := range peers {
		if p.Up && p.Role != presence.Syndic {
			next[p.ID] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(next)) {
		now = append(now, id)
		if !r.last[id] {
			came = append(came, id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.last)) {
		if !next[id] {
			gone = append(gone, id)
		}
	}
	r.last = next
	return now, came, gone
}
