package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/wire"
)

// unreported follows a job at a master that does not report its end, such as one of Salt. It takes
// the returns from the bus and decides itself when the job is complete (see [attendance]). After
// the bus was lost it reads the returns that it missed from the job cache, if the user may.
type unreported struct {
	by    jobMaster
	log   *slog.Logger
	jid   string
	roll  *attendance
	later []Update // not delivered yet
	// published receives the subscription to the answers of a round of find_job; nil if the round
	// could not be published.
	published chan *subscriber

	ctx    context.Context // of the rounds; Close ends it
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu     sync.Mutex  // guards writes of job and answer against Close
	job    *subscriber // events of the job
	answer *subscriber // events of the last round; nil before the first
}

// jobMaster is the part of a [Client] that unreported uses.
type jobMaster interface {
	listenTo(ctx context.Context, jid string) (*subscriber, error)
	findJob(ctx context.Context, jid string, ids []string, wait time.Duration) (*subscriber, error)
	storedReturns(ctx context.Context, jid string) ([]*Return, error)
}

// followUnreported follows the job with the given events. ctx carries values for the rounds and
// does not end them.
func followUnreported(ctx context.Context, by jobMaster, log *slog.Logger, jid string, events *subscriber, roll *attendance) *unreported {
	f := &unreported{by: by, log: log, jid: jid, job: events, roll: roll, published: make(chan *subscriber, 1)}
	f.ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return f
}

// Close implements [Updates].
func (f *unreported) Close() error {
	f.mu.Lock()
	f.cancel()
	err := errors.Join(f.job.Close(), f.answer.Close())
	f.mu.Unlock()
	f.work.Wait()
	select {
	case h := <-f.published:
		err = errors.Join(err, h.Close())
	default:
	}
	return err
}

// Next implements [Updates].
func (f *unreported) Next(ctx context.Context) (Update, error) {
	for {
		if f.ctx.Err() != nil {
			return Update{}, ErrClosed
		}
		if len(f.later) > 0 {
			u := f.later[0]
			f.later = f.later[1:]
			return u, nil
		}
		switch more, err := f.read(ctx); {
		case err != nil:
			return Update{}, err
		case more:
			continue
		}
		complete, ids, until := f.roll.next(time.Now())
		switch {
		case complete:
			return Update{Complete: f.roll.account(f.jid, time.Now())}, nil
		case ids != nil:
			f.ask(ids)
			continue
		}
		if err := f.wait(ctx, until); err != nil {
			return Update{}, err
		}
	}
}

// read handles one buffered event. It returns false without one.
func (f *unreported) read(ctx context.Context) (bool, error) {
	switch e, ok, err := f.job.take(); {
	case ok:
		f.event(e)
		return true, nil
	case err != nil:
		return true, f.resume(ctx, err)
	case f.answer == nil:
		return false, nil
	}
	e, ok, err := f.answer.take()
	switch {
	case ok:
		f.answered(e)
	case err != nil:
		f.log.Debug("answers to find_job lost", "jid", f.jid, "err", err)
		f.hold(&f.answer, nil)
		f.roll.again(time.Now())
	}
	return ok || err != nil, nil
}

// event handles an event of the job. Minions below a Python master may fire any, so one that cannot
// be read does not matter.
func (f *unreported) event(e bus.Event) {
	_, kind, _, _ := jobevent.Parse(e.Tag)
	switch kind {
	case jobevent.KindExpectation, jobevent.KindNew:
		f.expect(e)
	case jobevent.KindReturn, jobevent.KindOther:
		u, ok, err := readUpdate(f.jid, kind, e.Tag, e.Data)
		if err != nil {
			f.log.Debug("unreadable event ignored", "tag", e.Tag, "err", err)
			return
		}
		if u.Return != nil {
			// A minion of Salt 3008 returns for its resources under its own id.
			if raw, err := wire.Field(e.Data, "resource_id"); err == nil && raw != nil {
				if id, err := wire.Str(raw); err == nil && id != "" {
					u.Return.ID = id
				}
			}
			ok = f.roll.accept(u.Return)
		}
		if ok {
			f.later = append(f.later, u)
		}
	}
}

// expect handles an event in which a master names its minions. Syndics forward those of the masters
// below.
func (f *unreported) expect(e bus.Event) {
	if raw, err := wire.Field(e.Data, "minions"); err != nil || raw == nil {
		return // Salt's masters fire each return under this tag too
	}
	x, err := jobevent.DecodeExpectation(f.jid, e.Data)
	if err != nil {
		f.log.Debug("unreadable event ignored", "tag", e.Tag, "err", err)
		return
	}
	if fresh := f.roll.expect(x.Minions, time.Now()); len(fresh) > 0 {
		f.later = append(f.later, Update{Expectation: &Expectation{Node: x.Node, Minions: fresh}})
	}
}

// ask publishes a round of find_job in the background, since a busy master takes seconds to answer.
func (f *unreported) ask(ids []string) {
	f.hold(&f.answer, nil)
	f.roll.ask()
	wait := f.roll.answers
	f.work.Go(func() {
		h, err := f.by.findJob(f.ctx, f.jid, ids, wait)
		if err != nil && f.ctx.Err() == nil {
			f.log.Warn("find_job not published", "jid", f.jid, "count", len(ids), "err", err)
		}
		f.published <- h
	})
}

// answered handles an event of the last round of find_job.
func (f *unreported) answered(e bus.Event) {
	if _, kind, _, _ := jobevent.Parse(e.Tag); kind != jobevent.KindReturn {
		return
	}
	answer, err := wire.ParseReturn(e.Data)
	if err != nil {
		f.log.Debug("unreadable event ignored", "tag", e.Tag, "err", err)
		return
	}
	if runsJob(answer) {
		f.roll.runs(answer.ID, time.Now())
	}
}

// wait blocks until there is an event, a round is published, or the given time, if it is not zero.
func (f *unreported) wait(ctx context.Context, until time.Time) error {
	var due <-chan time.Time
	if !until.IsZero() {
		t := time.NewTimer(time.Until(until))
		defer t.Stop()
		due = t.C
	}
	var answers <-chan struct{}
	if f.answer != nil {
		answers = f.answer.more
	}
	select {
	case <-f.job.more:
	case <-answers:
	case <-due:
	case h := <-f.published:
		f.hold(&f.answer, h)
		f.roll.gather(time.Now())
	case <-f.ctx.Done():
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// hold replaces a subscription, which it closes. After Close it closes the new one too.
func (f *unreported) hold(at **subscriber, h *subscriber) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx.Err() != nil {
		_ = h.Close() // nobody reads it
		return
	}
	_ = (*at).Close() // its events do not matter any more
	*at = h
}

// resume subscribes again after the bus was lost for the reason lost, then reads the missed
// returns.
func (f *unreported) resume(ctx context.Context, lost error) error {
	if f.ctx.Err() != nil {
		return ErrClosed
	}
	h, err := f.by.listenTo(ctx, f.jid)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %w; the job goes on, see: salt-run jobs.lookup_jid %s", ErrBusLost, errors.Join(lost, err), f.jid)
	}
	f.hold(&f.job, h)
	missed, err := f.by.storedReturns(ctx, f.jid)
	if err != nil {
		f.log.Warn("returns missed while the event bus was lost", "jid", f.jid, "err", err)
	}
	for _, r := range missed {
		if f.roll.accept(r) {
			f.later = append(f.later, Update{Return: r})
		}
	}
	return nil
}
