package publications

import (
	"errors"
	"maps"

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

// sendTo encrypts a publication and sends it to the subscribers in to, to stock minions without what is not for them.
func (s *Service) sendTo(p wire.Publication, topics []string, to *zmtp.Choice) error {
	if !jobfields.IsProbe(p) {
		minions, others := s.splitStock(p, to)
		if s.o.Port.Selects(minions) {
			bare := func(p *wire.Publication) {
				s.number(p)
				*p = jobfields.ForStock(*p)
			}
			if err := s.sealTo(p, bare, topics, minions); err != nil {
				return err
			}
			if to = others; !s.o.Port.Selects(to) {
				return nil
			}
		}
	}
	return s.sealTo(p, s.number, topics, to)
}

// splitStock divides a choice into stock minions and the others. A connection that has not answered yet may be a Python
// syndic, which needs auth_list and to: if the publication has them and there may be syndics, it is among the others.
func (s *Service) splitStock(p wire.Publication, to *zmtp.Choice) (minions, others *zmtp.Choice) {
	if p.AuthList == nil && !p.HasTo || !s.o.MayHaveNodes() {
		others, minions = divide(to, s.o.OwnConns())
		return minions, others
	}
	return divide(to, s.o.StockConns())
}

// sealTo encrypts a publication after change, and sends it.
func (s *Service) sealTo(p wire.Publication, change func(*wire.Publication), topics []string, to *zmtp.Choice) error {
	return s.o.Keys.Seal(p, change, func(body []byte) error {
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

// divide divides a choice into the connections in some and the others. nil selects all.
func divide(to *zmtp.Choice, some map[uint64]bool) (in, out *zmtp.Choice) {
	switch {
	case to == nil:
		return &zmtp.Choice{IDs: some}, &zmtp.Choice{IDs: some, But: true}
	case to.But:
		in, out = &zmtp.Choice{IDs: map[uint64]bool{}}, &zmtp.Choice{IDs: maps.Clone(to.IDs), But: true}
		for c := range some {
			if !to.IDs[c] {
				in.IDs[c], out.IDs[c] = true, true
			}
		}
	default:
		in, out = &zmtp.Choice{IDs: map[uint64]bool{}}, &zmtp.Choice{IDs: map[uint64]bool{}}
		for c, yes := range to.IDs {
			if yes && some[c] {
				in.IDs[c] = true
			} else if yes {
				out.IDs[c] = true
			}
		}
	}
	return in, out
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
