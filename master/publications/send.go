package publications

import (
	"errors"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/judged"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/returners"
)

// Send seals a publication and hands it to the subscribers, or to some of them.
func (s *Service) Send(p wire.Publication, topics []string, to *zmtp.Choice) error {
	s.diary.Published(returners.PartIn(p).String())
	asked, list, narrowed, err := judged.Read(p)
	switch {
	case err != nil:
		return err
	case narrowed:
		return s.sendJudged(p, asked, list.Plain, topics, to)
	}
	return s.hand(p, topics, to)
}

// hand seals a publication and hands it to some of the subscribers.
func (s *Service) hand(p wire.Publication, topics []string, to *zmtp.Choice) error {
	return s.o.Keys.Seal(p, s.number, func(body []byte) error {
		if !s.o.Config.ZmqFiltering {
			topics = []string{""}
		}
		for _, t := range topics {
			if err := s.o.Port().SendTo(t, body, to); err != nil {
				return err
			}
		}
		return nil
	})
}

// SendPeer seals a publication and gives it to one connection. It has no serial: those
// count what goes out to all. Only stock minions take it so, and no others are sent it.
func (s *Service) SendPeer(conn uint64, plain []byte) error {
	cipher, err := s.o.Key().Seal("", plain)
	if err != nil {
		return err
	}
	body, err := s.o.Keys.Envelope(cipher)
	if err != nil {
		return err
	}
	return s.handPeer(conn, body)
}

// handPeer gives an envelope to one connection.
func (s *Service) handPeer(conn uint64, body []byte) error {
	topic := ""
	if s.o.Config.ZmqFiltering {
		topic = channel.ToAll
	}
	err := s.o.Port().SendPeer(conn, topic, body)
	if errors.Is(err, zmtp.ErrClosed) {
		return nil // it is asked anew when it is back
	}
	return err
}
