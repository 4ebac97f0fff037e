package master

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
)

// greeting is an announcement of presence that has been taken.
type greeting struct {
	peer      presence.Announcement
	load      *wire.Map // as it came
	connected bool      // its subscription is known
}

// presenceReplies add what else a peer is told with the answer to its presence,
// each fields of its own. A peer ignores those that it does not know.
var presenceReplies = []func(m *Master, g greeting, reply *wire.Map){}

// greetBack is the answer to an announcement.
func (m *Master) greetBack(g greeting) *wire.Map {
	reply := wire.NewMap("session", g.connected, "node", m.id, "heartbeat", m.cfg.ZmqHeartbeatIvl.Seconds())
	for _, add := range presenceReplies {
		add(m, g, reply)
	}
	return reply
}
