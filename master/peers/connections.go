package peers

import (
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/zmtp"
)

// Subscribe is called for each new subscription.
func (s *Service) Subscribe(p *zmtp.Peer, topic string) {
	if p.Identity() == "" {
		s.addUnnamed(p, topic)
	} else {
		s.Subscribed(p, p.Identity())
	}
}

// Unsubscribe is called for each closed connection.
func (s *Service) Unsubscribe(p *zmtp.Peer, _ error) {
	s.who.Remove(p.ID())
	s.Closed(p.ID())
}

// addUnnamed adds a subscription without identity, as libzmq sends none, and has its peer identified
// by a question. With zmq_filtering the topic is the hash of an id, but that proves nothing. A
// syndic is not asked, as it does not answer for itself.
func (s *Service) addUnnamed(p *zmtp.Peer, topic string) {
	if s.Opened(p, s.o.Publications.Heard()) {
		//mutant:unknown-connections-are-asked
		s.who.Add(p.ID())
	}
	if topic == channel.ToSyndics {
		s.OfSyndic(p.ID())
		s.who.Remove(p.ID())
	}
}
