package syndic

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/nodecall"
	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/sleep"
	"github.com/momtree/mom/internal/wire"
)

const (
	// inboxSize is how many publications of one parent may wait to be opened.
	// When it is full the subscription is not read any more, and the parent
	// notices a slow reader.
	inboxSize = 1024
	// publishing is how many jobs of one parent are handed to the local master
	// at the same time.
	publishing = 16
)

// publications opens what the parent publishes, in its order, since an older
// serial counts as a replay, and begins to hand each job on in that order. A job
// that takes long holds up only what comes after it under the same jid.
func (l *link) publications(ctx context.Context) {
	slots := make(chan struct{}, publishing)
	order := newLanes()
	var wg sync.WaitGroup
	defer wg.Wait()
	questions := &answerer{link: l, busy: &wg, slots: make(chan struct{}, answering)}
	for {
		var p wire.Publication
		select {
		case <-ctx.Done():
			return
		case p = <-l.missed:
		case body := <-l.inbox:
			var err error
			if p, err = l.ch.OpenPublication(ctx, body); err != nil {
				if ctx.Err() == nil {
					l.log.Warn("A publication of the master above could not be opened", "jid", p.JID, "err", err)
					l.decline(p, err)
				}
				continue
			}
			if l.tail.Note(p) {
				ring(l.fetch)
			}
		}
		if n, is := nodecall.ReadNews(p); is {
			if n.What == sibling.News {
				l.askSiblings(n.Within)
			}
			continue
		}
		if questions.take(ctx, p) {
			continue
		}
		if !l.belongsHere(p) {
			continue
		}
		l.handed.Add(p.JID, struct{}{})
		first, second := l.s.parents.learn(ctx, l, p.JID, p.MasterID)
		select {
		case <-ctx.Done():
			return
		case slots <- struct{}{}:
		}
		before, leave := order.enter(p.JID)
		wg.Go(func() {
			giveBack := sync.OnceFunc(func() { <-slots })
			defer giveBack()
			defer leave()
			if before != nil {
				<-before
			}
			again := second || first && !l.early(ctx, p.JID)
			l.publish(ctx, p, giveBack)
			if again { // once it is stored that this is owed
				l.returns.again(p.JID)
			}
		})
	}
}

// decline tells the parent of a job that is not taken: it waits for this node. What
// could not be read at all may be fetched, as if it had been missed.
func (l *link) decline(p wire.Publication, why error) {
	switch {
	case errors.Is(why, channel.ErrReplayed):
	case jid.Valid(p.JID) && l.belongsHere(p):
		if _, asks := p.Extra.Get(nodecall.Field); !asks {
			l.events.push(refusedHere(p.JID, why))
		}
	case p.JID == "":
		ring(l.fetch)
	}
}

// early has this parent given the returns that were here before anybody asked for
// their job: a node that came over from a sibling brought them, and they went to
// whoever takes what nobody is owed. false: that is still to be done.
func (l *link) early(ctx context.Context, jid string) bool {
	err := l.returns.oweNow(ctx, jid)
	if err != nil && ctx.Err() == nil {
		l.log.Error("The returns that were here before their job are not owed to the master above as yet", "jid", jid, "err", err)
		l.s.parents.origins.owe(l.ch.Addr(), jid)
	}
	return err == nil
}

// belongsHere leaves out what the parent asks minions that this node looks after
// itself, and this node's own job that came back to it.
func (l *link) belongsHere(p wire.Publication) bool {
	if p.Extra != nil {
		if v, ok := p.Extra.Get("mom_probe"); ok {
			if raw, _ := v.(wire.Raw); wire.Truth(raw) && !l.s.questions {
				return false
			}
		}
	}
	own := l.s.cfg.Local.MasterID
	return own == "" || own != p.MasterID
}

// publish has the local master publish a job of the parent. waits is called before one that is
// queued waits for long.
func (l *link) publish(ctx context.Context, p wire.Publication, waits func()) {
	job, err := republish(p)
	if err == nil {
		err = l.insist(ctx, job)
	}
	if errors.Is(err, ErrNotNow) && ctx.Err() == nil {
		err = l.offer(ctx, p, job, err, waits)
	}
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.Is(err, ErrNoMatch):
		// The local master says nothing about a job that is nobody's; the
		// parent has to know that this node has none for it.
		l.events.answer(emptyExpectation(p.JID))
	default:
		l.log.Error("A job of the master above could not be published here", "jid", p.JID, "err", err)
		l.events.answer(refusedHere(p.JID, err))
	}
}

// insist asks the local master for a while, since it may be starting.
func (l *link) insist(ctx context.Context, job wire.PublishLoad) error {
	ctx, cancel := context.WithTimeout(ctx, l.s.pace.publish)
	defer cancel()
	retry := l.s.pace.backoff()
	for {
		err := l.s.local.Publish(ctx, job, l.s.parents.origins.asks(l.ch.Addr(), job.JID)...)
		if !errors.Is(err, ErrNotNow) || sleep.For(ctx, min(retry.wait(), time.Second)) != nil {
			return err
		}
	}
}
