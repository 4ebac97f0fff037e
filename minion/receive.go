package minion

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/modules"
)

// decline answers a publication that is not taken, though it is meant for this minion or
// may be. What could not be read at all may be fetched, as if it had been missed.
func (l *link) decline(p wire.Publication, why error) {
	if p.JID == "" {
		l.behind()
		return
	}
	l.m.jobs.Decline(l, p, why)
}

// Push stores the return of a job for this master.
func (l *link) Push(jid string, load []byte) error { return l.outbox.Push(jid, load) }

// Ours tells whether the master knows `_presence`.
func (l *link) Ours() bool { return l.ours.Load() }

// Env is what functions see of the minion and of this master.
func (l *link) Env() modules.Env { return &env{m: l.m, l: l} }

// receive takes one message of the subscription. It runs on the subscription's
// reader and starts jobs without waiting for them.
func (l *link) receive(ctx context.Context, frames [][]byte) {
	if len(frames) == 0 || len(frames) == 2 && !l.meant(string(frames[0])) {
		return // topics match as prefixes, so foreign ones may come
	}
	p, err := l.ch.OpenPublication(ctx, frames[len(frames)-1])
	switch {
	case ctx.Err() != nil:
		return
	case errors.Is(err, channel.ErrReplayed):
		l.log.Debug("publication dropped", "error", err)
		return
	case err != nil:
		l.log.Warn("publication dropped", "jid", p.JID, "error", err)
		l.decline(p, err)
		return
	}
	if l.tail.Note(p) {
		l.behind()
	}
	if n, is := nodecall.ReadNews(p); is {
		if l.News != nil {
			l.News(n)
		}
		return
	}
	if err := l.m.jobs.Take(l, p); err != nil {
		l.log.Warn("publication dropped", "jid", p.JID, "error", err)
	}
}

func (l *link) meant(topic string) bool {
	return topic == "broadcast" || topic == channel.Topic(l.m.cfg.ID)
}

// Meant decides whether the publication is for this minion.
func (l *link) Meant(p wire.Publication) (bool, error) {
	tgt, err := wire.Decode(p.Tgt)
	if err != nil {
		return false, fmt.Errorf("target: %w", err)
	}
	expr, err := target.Parse(tgt, p.TgtType, target.Options{Delimiter: p.Delimiter, Nodegroups: l.m.cfg.Nodegroups})
	if err != nil {
		return false, fmt.Errorf("target %v: %w", tgt, err)
	}
	return expr.Match(subject{l.m, l}), nil
}

// subject is this minion as a target sees it.
type subject struct {
	m *Minion
	l *link
}

func (s subject) ID() string  { return s.m.cfg.ID }
func (s subject) Grains() any { return s.m.grains.get() }
func (s subject) Pillar() any { return s.l.pillar.Load() }
