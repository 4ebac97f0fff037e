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

// Retain gives what of a job's publication is stored with the job, which is queued until a
// deadline, if that is not zero. nil: nothing is, or it is already.
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

// number puts the number of a kept publication into it. It is called in the
// order in which publications go out.
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

// listener is a peer that tells how far it has heard publications.
type listener struct {
	id      string
	node    bool // a node right below, and not a minion
	epoch   string
	seq     int64
	running map[string]bool
}

// missed lists what a peer has to be given: what it did not hear, does not work
// on, and owes the answer of.
func (s *Service) missed(l listener, give func(seq int64, r retention.Record) bool) {
	s.Since(l.epoch, l.seq, func(seq int64, r retention.Record) bool {
		if l.running[r.JID] || !s.owes(l, r.JID) || !l.node && !s.MayTarget(r.Name(), l.id) {
			return true
		}
		return give(seq, r)
	})
}

// owes reports whether a job waits for the answer of a peer that did not hear it, or is queued
// for it.
func (s *Service) owes(l listener, jid string) bool {
	if l.node {
		return s.o.Jobs.OwesNode(jid, l.id) || s.WantsNode(jid, l.id)
	}
	return s.o.Jobs.Owes(jid, l.id) || s.Wants(jid, l.id)
}

// given tells that a peer is about to be given a job that it owes.
func (s *Service) given(l listener, jid string) {
	if l.node {
		s.o.Jobs.GivenNode(jid, l.id)
		return
	}
	s.o.Jobs.Given(jid, l.id)
	s.Sent(jid, l.id)
}

// sealedPublication is the envelope of a kept publication under one shared key.
type sealedPublication struct {
	key  *crypt.Crypticle
	body []byte
}

// resealed gives a kept publication as it would be published now, but without a
// serial: those count what goes out to all. id is whom it is given to.
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

// publishAgain publishes what an earlier life of this master left unpublished.
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

// TakeUp keeps of an earlier life what is still wanted, and has those of open jobs that were
// not handed out published to who subscribes.
func (s *Service) TakeUp() { s.late.Start(s.Queues.TakeUp()) }
