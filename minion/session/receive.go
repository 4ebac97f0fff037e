package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// decline answers a publication that is refused, though it is or may be for this minion. One
// that could not be read at all may be fetched again as missed.
func (s *Session) decline(p wire.Publication, why error) {
	if p.JID == "" {
		s.behind()
		return
	}
	s.all.Jobs.Decline(s, p, why)
}

// receive handles one message of the subscription. It runs on the subscription's reader and
// starts jobs without waiting for them.
func (s *Session) receive(ctx context.Context, frames [][]byte) {
	if len(frames) == 0 || len(frames) == 2 && !s.meant(string(frames[0])) {
		return // topics match as prefixes, so those of others may arrive
	}
	p, err := s.ch.OpenPublication(ctx, frames[len(frames)-1])
	switch {
	case ctx.Err() != nil:
		return
	case errors.Is(err, channel.ErrReplayed):
		s.log.Debug("publication dropped", "err", err)
		return
	case err != nil:
		s.log.Warn("publication dropped", "jid", p.JID, "err", err)
		s.decline(p, err)
		return
	}
	if s.tail.Note(p) {
		s.behind()
	}
	if n, is := nodecall.ReadChange(p); is {
		if s.o.Changed != nil {
			s.o.Changed(n)
		}
		return
	}
	s.asked(p)
	if err := s.all.Jobs.Take(s, p); err != nil {
		s.log.Warn("publication dropped", "jid", p.JID, "err", err)
	}
}

func (s *Session) meant(topic string) bool {
	return topic == "broadcast" || topic == channel.Topic(s.all.Options.ID)
}

// Meant reports whether the publication is for this minion. If the master narrowed the target
// to a list, this minion must be in the list and match the original target.
func (s *Session) Meant(p wire.Publication) (bool, error) {
	asked, _, narrowed, err := jobfields.Requested(p)
	if err != nil {
		return false, err
	}
	if narrowed {
		//mutant:minion-reads-target
		if listed, err := s.matches(p); err != nil || !listed {
			return false, err
		}
	}
	return s.matches(asked)
}

func (s *Session) matches(p wire.Publication) (bool, error) {
	expr, err := s.parse(p)
	return err == nil && expr.Match(subject{s}), err
}

// parse parses the target of a publication.
func (s *Session) parse(p wire.Publication) (target.Expr, error) {
	tgt, err := wire.Decode(p.Tgt)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	expr, err := target.Parse(tgt, p.TgtType, target.Options{Delimiter: p.Delimiter, Nodegroups: s.all.Options.Nodegroups})
	if err != nil {
		return nil, fmt.Errorf("target %v: %w", tgt, err)
	}
	return expr, nil
}

// subject is this minion as a target sees it.
type subject struct{ s *Session }

func (x subject) ID() string  { return x.s.all.Options.ID }
func (x subject) Grains() any { return x.s.all.Grains.Get() }
func (x subject) Pillar() any { return x.s.pillar.Load() }
