package minion

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// deliver sends stored returns, oldest first, each until the master has
// acknowledged it.
func (l *link) deliver(ctx context.Context) error {
	var failures int // of the return at the head
	for ctx.Err() == nil {
		seq, load, ok := l.outbox.head()
		if !ok {
			select {
			case <-l.outbox.wake:
			case <-ctx.Done():
			}
			continue
		}
		err := l.send(ctx, load)
		switch {
		case err == nil:
			l.outbox.ack(seq)
			failures = 0
			continue
		case ctx.Err() != nil:
			return nil
		case l.refused(ctx, load, err):
			failures++
		}
		if failures >= l.m.cfg.ReturnRetryTries {
			l.giveUp(seq, load, err)
			failures = 0
			continue
		}
		pause := l.retryPause()
		l.log.Warn("return not delivered, will be sent again", "waiting", l.outbox.depth(), "pause", pause, "error", err)
		select {
		case <-time.After(pause):
		case <-l.up.next(): // perhaps the master is back
		case <-ctx.Done():
		}
	}
	return nil
}

var errBadReturn = errors.New("the stored return is damaged")

// send sends one stored return. Its values stay undecoded.
func (l *link) send(ctx context.Context, load []byte) error {
	m := wire.NewMap()
	err := wire.Fields(load, func(key string, val wire.Raw) error {
		if key == "cmd" || key == "id" { // read again below the channel
			text, err := wire.Str(val)
			m.Set(key, text)
			return err
		}
		m.Set(key, val)
		return nil
	})
	if err != nil {
		return errors.Join(errBadReturn, err)
	}
	return l.ch.Return(ctx, m)
}

// retryPause lies between return_retry_timer and return_retry_timer_max.
func (l *link) retryPause() time.Duration {
	low, high := l.m.cfg.ReturnRetryTimer, l.m.cfg.ReturnRetryTimerMax
	if high <= low {
		return low
	}
	return low + rand.N(high-low)
}
