package minion

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/delivery"
)

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
	if err := l.m.take(l, p); err != nil {
		l.log.Warn("publication dropped", "jid", p.JID, "error", err)
	}
}

func (l *link) meant(topic string) bool {
	return topic == "broadcast" || topic == channel.Topic(l.m.cfg.ID)
}

// take starts the job of a publication if it is for this minion and new.
func (m *Minion) take(l *link, p wire.Publication) error {
	if err := jid.Usable(p.JID); err != nil {
		return err
	}
	if len(p.Fun) == 0 || len(p.Arg) == 0 || len(p.Tgt) == 0 {
		err := errors.New("fun, arg or tgt is missing")
		l.decline(p, err)
		return err
	}
	meant, err := m.matches(l, p)
	if err != nil {
		l.decline(p, err)
		return err
	}
	if !meant {
		return nil
	}
	issued, expires, err := m.tops.permits(p, m.now())
	if err != nil {
		return m.refuse(l, p, err)
	}
	fresh, done := m.recent.take(p.JID, l)
	if !fresh {
		if done != nil {
			return l.outbox.Push(p.JID, done)
		}
		return nil
	}
	if err := m.tops.first(p.JID, issued, expires, m.now()); err != nil {
		m.recent.forget(p.JID)
		return m.refuse(l, p, err)
	}
	m.log.Info("job received", "jid", p.JID, "fun", text(p.Fun), "user", p.User)
	names, _ := delivery.Functions(p.Fun)
	place, err := m.slots.admit(strings.Join(names, ","))
	if err != nil {
		m.answer(l, p, delivery.Failure(p, "ERROR: "+err.Error()))
		return err
	}
	m.work.Go(func() {
		defer place.leave()
		m.runJob(l, p, place)
	})
	return nil
}

// matches decides whether the publication is for this minion.
func (m *Minion) matches(l *link, p wire.Publication) (bool, error) {
	tgt, err := wire.Decode(p.Tgt)
	if err != nil {
		return false, fmt.Errorf("target: %w", err)
	}
	expr, err := target.Parse(tgt, p.TgtType, target.Options{Delimiter: p.Delimiter, Nodegroups: m.cfg.Nodegroups})
	if err != nil {
		return false, fmt.Errorf("target %v: %w", tgt, err)
	}
	return expr.Match(subject{m, l}), nil
}

// subject is this minion as a target sees it.
type subject struct {
	m *Minion
	l *link
}

func (s subject) ID() string  { return s.m.cfg.ID }
func (s subject) Grains() any { return s.m.grains.get() }
func (s subject) Pillar() any { return s.l.pillar.Load() }

// text shows a value of a publication in a log.
func text(r wire.Raw) any {
	v, err := wire.Decode(r)
	if err != nil {
		return "?"
	}
	return v
}
