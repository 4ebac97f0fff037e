package channel

import (
	"context"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/zmtp"
)

// requester sends one body and returns the reply to it.
type requester interface {
	Do(ctx context.Context, body []byte) ([]byte, error)
	Close() error
}

// dial prepares the connections to a master's request port. They have no ZMTP identity, because
// some masters mix up peers that share one.
func dial(cfg Config) requester {
	d := cfg.Dial
	d.Identity = ""
	d.BackoffMin, d.BackoffMax = 0, 0 // recon_* apply to subscriptions only
	d.DialTimeout = or(d.DialTimeout, cfg.AuthTimeout)
	d.Log = or(d.Log, cfg.Log)
	return zmtp.NewReq(cfg.addr(), d)
}

const (
	backoffMin = 50 * time.Millisecond
	backoffMax = time.Second
)

// exchange sends body at most tries times until it gets a reply, and waits for timeout each
// time.
func (c *Channel) exchange(ctx context.Context, op string, body []byte, timeout time.Duration, tries int) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()

	w := c.watch(op)
	defer w.end()
	var last error
	for range tries {
		reply, err := c.once(ctx, body, timeout, w)
		if err == nil {
			return reply, nil
		}
		if ctx.Err() != nil {
			return nil, c.fail(op, ctx.Err(), err.Error(), "")
		}
		last = err
		if op == signInOp && unknownName(err) {
			why, hint := reason(err)
			return nil, c.fail(op, fmt.Errorf("%w: %w", ErrNoAnswer, err), why, c.named(hint))
		}
	}
	return nil, c.unanswered(op, last, timeout, tries)
}

// unanswered returns the error for when all tries have failed.
func (c *Channel) unanswered(op string, last error, timeout time.Duration, tries int) error {
	reason := ErrNoAnswer
	if last != nil && !errors.Is(last, context.DeadlineExceeded) {
		reason = fmt.Errorf("%w: %w", ErrNoAnswer, last)
	}
	return c.fail(op, reason, fmt.Sprintf("%d tries of %s", tries, timeout),
		"check that the master runs and that its port can be reached")
}

// once sends body and waits for timeout. Within that time it makes a failed or broken
// connection again, with growing, jittered pauses. A sign-in at an unknown host name fails at
// once, because its caller retries after longer pauses.
func (c *Channel) once(ctx context.Context, body []byte, timeout time.Duration, w *watched) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for pause := backoffMin; ; pause = min(2*pause, backoffMax) {
		reply, err := c.req.Do(ctx, body)
		if err == nil {
			return reply, nil
		}
		err = w.failed(err)
		//mutant:unknown-name-fails-early
		if ctx.Err() != nil || w.op == signInOp && unknownName(err) || timing.Sleep(ctx, pause/2+mrand.N(pause)) != nil {
			return nil, err
		}
	}
}
