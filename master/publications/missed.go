package publications

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// listenerOf parses the last received publication of a peer. ok is false if the peer does not
// report it.
func listenerOf(id string, d *wire.Map) (l listener, ok bool) {
	v, _ := d.Get("heard")
	l = listener{id: id, node: d.String("role") == presence.Syndic, running: map[string]bool{}}
	if l.epoch, l.seq, ok = channel.ReadHeard(v); !ok {
		return l, false
	}
	for _, jid := range wire.Texts(d.List("running")) {
		l.running[jid] = true
	}
	return l, true
}

// Missed returns the jobs that an announcing peer is going to fetch, and what it needs for that:
// the epoch and head.
func (s *Service) Missed(id string, announced *wire.Map) (jids []string, know *wire.Map) {
	l, ok := listenerOf(id, announced)
	if !ok {
		return nil, nil
	}
	know = wire.NewMap("epoch", s.Epoch(), "head", s.Head())
	s.missed(l, func(_ int64, r retention.Record) bool {
		jids = append(jids, r.JID)
		return true
	})
	know.Set("missed", len(jids))
	return jids, know
}

// Heard returns the current position of publications.
func (s *Service) Heard() presence.Before {
	return presence.Before{Number: s.Head(), Position: s.journal.Position()}
}

func init() {
	commands.Register(server.Command{
		Name: "_missed", Who: server.Proven,
		Args: []string{"heard", "running"},
		Doc: `
Fetches publications that the peer missed, in batches. A mom command.

heard
    The epoch and number of the last publication it received.
running
    The jobs it runs. They are not sent.
`,
	}, func(s *Service) server.Handler { return s.onMissed })
}

// onMissed serves `_missed`, a mom command: a peer fetches missed publications in batches (bounds
// missed_rows and missed_bytes).
func (s *Service) onMissed(_ context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("missed publications of %s: %w", r.ID, err)
	}
	l, ok := listenerOf(r.ID, d)
	if !ok {
		return nil, fmt.Errorf("missed publications of %s: heard is not an epoch and a number", r.ID)
	}
	head, more, bytes := s.Head(), false, 0
	pubs := []any{}
	last := int64(0)
	var failed error
	s.missed(l, func(seq int64, rec retention.Record) bool {
		if len(pubs) >= s.o.Config.Bounds.MissedRows || bytes >= s.o.Config.Bounds.MissedBytes {
			more = true
			return false
		}
		body, err := s.resealed(rec, l.id, l.node)
		if err != nil {
			failed = err
			return false
		}
		pubs, bytes, last = append(pubs, body), bytes+len(body), seq
		s.redelivered(l, rec.JID)
		s.o.Log.Info("missed publication sent again", "jid", rec.JID, "minion", l.id)
		return true
	})
	if failed != nil {
		return nil, failed
	}
	if more {
		head = last
	}
	s.o.Given.Add(uint64(len(pubs)))
	return wire.NewMap("epoch", s.Epoch(), "head", head, "more", more, "pubs", pubs), nil
}

// SendMissed sends a stock minion, on a connection it has just proven, the open jobs it must
// answer and certainly missed on it. Sending twice is safe while the minion runs: it ignores a
// known jid. Jobs it may have run before its last start are not sent.
func (s *Service) SendMissed(conn uint64, id string, before presence.Before) {
	s.Since("", 0, func(seq int64, rec retention.Record) bool {
		if seq > before.Number {
			return false
		}
		expected, queued := s.o.Jobs.Expects(rec.JID, id), s.Wants(rec.JID, id)
		switch {
		case !expected && !queued, !s.MayTarget(rec.Name(), id):
			return true
		case s.o.Jobs.NotDelivered(rec.JID, id), s.notDelivered(conn, rec.Name(), id), s.journal.MayRepeat(rec.Name().String(), id, before.Position):
		default:
			return true
		}
		err := s.sendAgain(conn, rec, id)
		if err != nil {
			s.o.Log.Warn("job not sent to a returning minion", "jid", rec.JID, "minion", id, "err", err)
			return true
		}
		s.o.Delivery.RedeliveredStock(rec.JID, id)
		s.Sent(rec.JID, id)
		s.o.Given.Add(1)
		s.o.Log.Info("missed publication sent again", "jid", rec.JID, "minion", id)
		return true
	})
}

// sendAgain sends a kept publication to a connection of a stock minion.
func (s *Service) sendAgain(conn uint64, rec retention.Record, id string) error {
	rec, _, err := forPeer(rec, id, false)
	if err != nil {
		return err
	}
	p, err := wire.ParsePublication(rec.Pub)
	if err != nil {
		return fmt.Errorf("read publication %s: %w", rec.JID, err)
	}
	plain, err := jobfields.ForStock(p).Encode()
	if err != nil {
		return fmt.Errorf("encode publication %s: %w", rec.JID, err)
	}
	return s.SendPeer(conn, plain)
}

// notDelivered reports whether a stock minion has certainly not received a publication of this
// run, by its connections.
func (s *Service) notDelivered(conn uint64, p returners.Part, id string) bool {
	at, here := s.journal.PublishedAt(p.String())
	//mutant:restart-before-subscription
	return here && s.o.Unheard(conn, id, at)
}
