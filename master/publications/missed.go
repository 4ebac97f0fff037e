package publications

import (
	"context"
	"fmt"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// listenerOf reads how far a peer has heard. ok is false for one that does not
// say so: it fetches nothing.
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

// Missed names what a peer that announces itself is going to fetch, and gives what it
// has to know for that: the head of the publications as of that moment.
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

// Heard is how far publications have gone by now.
func (s *Service) Heard() presence.Before {
	return presence.Before{Number: s.Head(), Position: s.diary.Position()}
}

func init() {
	commands.Register(server.Command{
		Name: "_missed", Who: server.Proven,
		Args: []string{"heard", "running"},
		Doc: `
A peer fetches publications that it did not hear, some at a time; our own addition.

heard
    The epoch and number of the last one that it has.
running
    The jobs that it works on: those it is not given.
`,
	}, func(s *Service) server.Handler { return s.onMissed })
}

// onMissed serves `_missed`, our own addition: a peer fetches the publications
// that it did not hear, some at a time (bounds missed_rows and missed_bytes).
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
		s.given(l, rec.JID)
		s.o.Log.Info("missed publication sent again", "jid", rec.JID, "id", l.id)
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

// SendMissed gives a stock minion, on a connection that has just said that it is its
// own, the open jobs which it owes and did not hear over it, once more if need be: it
// passes over a jid that it has seen since its start. It is not given what it may have
// run before a restart of its own.
func (s *Service) SendMissed(conn uint64, id string, before presence.Before) {
	s.Since("", 0, func(seq int64, rec retention.Record) bool {
		if seq > before.Number {
			return false
		}
		owes, queued := s.o.Jobs.Owes(rec.JID, id), s.Wants(rec.JID, id)
		switch {
		case !owes && !queued, !s.MayTarget(rec.Name(), id):
			return true
		case s.o.Jobs.Unheard(rec.JID, id), s.unheard(conn, rec.Name(), id), s.diary.MayRepeat(rec.Name().String(), id, before.Position):
		default:
			return true
		}
		body, err := s.resealed(rec, id, false)
		if err == nil {
			err = s.handPeer(conn, body)
		}
		if err != nil {
			s.o.Log.Warn("job not sent to a returning minion", "jid", rec.JID, "id", id, "err", err)
			return true
		}
		s.o.Jobs.GivenStock(rec.JID, id)
		s.Sent(rec.JID, id)
		s.o.Given.Add(1)
		s.o.Log.Info("missed publication sent again", "jid", rec.JID, "id", id)
		return true
	})
}

// unheard tells whether a stock minion has certainly not heard a job of this life of the
// master, by the connections that could have heard it.
func (s *Service) unheard(conn uint64, p returners.Part, id string) bool {
	at, here := s.diary.PublishedHere(p.String())
	//mutant:restart-before-subscription
	return here && s.o.Unheard(conn, id, at)
}
