package publications

import (
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/retention"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// Retain returns the publication to store with its job, or nil if none is to be stored. A non-zero
// until is the deadline of a queued job. It returns a refusal if the queue is full.
func (s *Service) Retain(p wire.Publication, topics []string, until time.Time) ([]byte, error) {
	if !s.Keeps() && until.IsZero() {
		return nil, nil
	}
	plain, err := p.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode publication %s: %w", p.JID, err)
	}
	r := retention.Record{JID: p.JID, Part: returners.PartIn(p).N, At: s.o.Age(), Until: until, Pub: plain}
	if s.o.Config.ZmqFiltering {
		r.Topics = topics
	}
	stored, err := s.Put(r)
	if errors.Is(err, retention.ErrFull) {
		return nil, server.Refusal{Name: "SaltClientError", Message: "The job cannot be queued: " + err.Error()}
	}
	return stored, err
}

// number adds the sequence number of a kept publication. Calls follow the order of sending.
func (s *Service) number(p *wire.Publication) {
	seq, ok := s.Number(returners.PartIn(*p))
	if !ok {
		return
	}
	extra := wire.NewMap()
	if p.Extra != nil {
		extra = p.Extra.Clone()
	}
	extra.Set(channel.SeqField, []any{s.Epoch(), seq})
	p.Extra = extra
}

// listener is a peer that reports the last publication it received.
type listener struct {
	id      string
	node    bool // node or minion
	epoch   string
	seq     int64
	running map[string]bool
}

// missed yields the publications that a peer missed, does not run and must still answer.
func (s *Service) missed(l listener, give func(seq int64, r retention.Record) bool) {
	s.Since(l.epoch, l.seq, func(seq int64, r retention.Record) bool {
		if l.running[r.JID] || !s.expects(l, r.JID) || !l.node && (!s.MayTarget(r.Name(), l.id) || s.mayHaveRun(l.id, r)) {
			return true
		}
		return give(seq, r)
	})
}

// mayHaveRun reports whether a job may have run on a stock minion in whose place one of mom is now. A minion of mom knows
// what it has run itself.
func (s *Service) mayHaveRun(id string, r retention.Record) bool {
	at, _ := s.journal.PublishedAt(r.Name().String())
	//mutant:stock-minions-may-have-run
	return !s.Wants(r.JID, id) && s.o.WasStock(id, at) && !s.o.Jobs.NotDelivered(r.JID, id)
}

// expects reports whether a job waits for a peer's answer or is queued for it.
func (s *Service) expects(l listener, jid string) bool {
	if l.node {
		return s.o.Jobs.ExpectsNode(jid, l.id) || s.WantsNode(jid, l.id)
	}
	return s.o.Jobs.Expects(jid, l.id) || s.Wants(jid, l.id)
}

// redelivered reports that a peer is about to receive a job.
func (s *Service) redelivered(l listener, jid string) {
	if l.node {
		s.o.Delivery.RedeliveredNode(jid, l.id)
		return
	}
	s.o.Delivery.Redelivered(jid, l.id)
	s.Sent(jid, l.id)
}

// sealedPublication is a kept publication encrypted with one shared key.
type sealedPublication struct {
	key  *crypt.Crypticle
	body []byte
}

// resealed encrypts a kept publication for id, without a serial: serials count publications to
// all.
func (s *Service) resealed(r retention.Record, id string, node bool) ([]byte, error) {
	key := s.o.Key()
	r, own, err := forPeer(r, id, node)
	if err != nil {
		return nil, err
	}
	if own {
		cipher, err := key.Seal("", r.Pub)
		if err != nil {
			return nil, fmt.Errorf("encrypt publication %s: %w", r.JID, err)
		}
		return s.o.Keys.Envelope(cipher)
	}
	v, err := s.Cached(r.Name(),
		func(v any) bool { return v.(sealedPublication).key == key },
		func() (any, error) {
			cipher, err := key.Seal("", r.Pub)
			if err != nil {
				return nil, fmt.Errorf("encrypt publication %s: %w", r.JID, err)
			}
			body, err := s.o.Keys.Envelope(cipher)
			return sealedPublication{key, body}, err
		})
	if err != nil {
		return nil, err
	}
	return v.(sealedPublication).body, nil
}

// publishAgain publishes a job that a previous run stored and did not send.
func (s *Service) publishAgain(r retention.Record) error {
	p, err := wire.ParsePublication(r.Pub)
	if err != nil {
		return fmt.Errorf("read publication %s: %w", r.JID, err)
	}
	if err := s.Send(p, r.Topics, nil); err != nil {
		return fmt.Errorf("publish job %s again: %w", r.JID, err)
	}
	return nil
}

// TakeUp restores kept publications, and publishes those of open jobs that were not sent to new
// subscribers.
func (s *Service) TakeUp() { s.late.Start(s.Queues.TakeUp()) }
