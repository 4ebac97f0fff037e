package peers

import (
	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/zmtp"
)

// Subscribe is told of each subscription. A peer of ours names its session.
func (s *Service) Subscribe(p *zmtp.Peer, topic string) {
	if p.Identity() == "" {
		s.nameless(p, topic)
	} else {
		s.Subscribed(p, p.Identity())
	}
}

// Unsubscribe is told of each connection that has ended.
func (s *Service) Unsubscribe(p *zmtp.Peer, _ error) {
	s.who.Remove(p.ID())
	s.Closed(p.ID())
}

// nameless has a subscription asked that does not announce itself: libzmq sends no
// identity. With zmq_filtering it subscribes to the hash of an id, but anybody may, so
// it is asked all the same; a syndic is not, as it cannot answer for itself.
func (s *Service) nameless(p *zmtp.Peer, topic string) {
	if s.Opened(p, s.p.Heard()) {
		//mutant:unknown-connections-are-asked
		s.who.Add(p.ID())
	}
	if topic == channel.ToSyndics {
		s.OfSyndic(p.ID())
		s.who.Remove(p.ID())
	}
}
