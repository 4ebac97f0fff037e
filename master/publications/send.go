package publications

import (
	"errors"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/returners"
)

// Send encrypts a publication and sends it to the subscribers in to; nil means all.
func (s *Service) Send(p wire.Publication, topics []string, to *zmtp.Choice) error {
	s.journal.Published(returners.PartIn(p).String())
	asked, list, narrowed, err := jobfields.Requested(p)
	switch {
	case err != nil:
		return err
	case narrowed:
		return s.sendJudged(p, asked, list.Plain, topics, to)
	}
	return s.sendTo(p, topics, to)
}

// sendTo encrypts a publication and sends it to the subscribers in to.
func (s *Service) sendTo(p wire.Publication, topics []string, to *zmtp.Choice) error {
	return s.o.Keys.Seal(p, s.number, func(body []byte) error {
		if !s.o.Config.ZmqFiltering {
			topics = []string{""}
		}
		for _, t := range topics {
			if err := s.o.Port.SendTo(t, body, to); err != nil {
				return err
			}
		}
		return nil
	})
}

// SendPeer encrypts a publication and sends it to one connection, without a serial: serials count
// publications to all. It is for stock minions only.
func (s *Service) SendPeer(conn uint64, plain []byte) error {
	cipher, err := s.o.Key().Seal("", plain)
	if err != nil {
		return err
	}
	body, err := s.o.Keys.Envelope(cipher)
	if err != nil {
		return err
	}
	return s.sendToConn(conn, body)
}

// sendToConn sends an envelope to one connection.
func (s *Service) sendToConn(conn uint64, body []byte) error {
	topic := ""
	if s.o.Config.ZmqFiltering {
		topic = channel.ToAll
	}
	err := s.o.Port.SendPeer(conn, topic, body)
	if errors.Is(err, zmtp.ErrClosed) {
		return nil // asked again when it reconnects
	}
	return err
}
