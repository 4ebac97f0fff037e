package delivery

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
)

// Channel is the connection to one master.
type Channel interface {
	// Return sends a return and waits until the master has accepted it.
	Return(ctx context.Context, load *wire.Map) error
	// Request sends a request and returns the reply.
	Request(ctx context.Context, load *wire.Map) (wire.Raw, error)
}

// Sender delivers the returns in an outbox to one master.
type Sender struct {
	Outbox  *Outbox
	Channel Channel
	// Minion and Master are the names in the error that replaces a return.
	Minion, Master string
	// Tries is the number of refusals after which a return is given up. RetryMin and RetryMax
	// bound the pause between attempts.
	Tries              int
	RetryMin, RetryMax time.Duration
	// Changed returns a channel that is closed when a retry may succeed.
	Changed func() <-chan struct{}
	// Tracer records the spans of returns that belong to a trace; nil records none.
	Tracer *tracing.Tracer
	Log    *slog.Logger
}

// Run sends stored returns, oldest first, each until the master has acknowledged it. It ends
// when another sender takes over the outbox.
func (s *Sender) Run(ctx context.Context) {
	var failures int // of the return at the head
	for ctx.Err() == nil {
		seq, load, ok := s.Outbox.head()
		if !ok {
			select {
			case <-s.Outbox.wake:
			case <-ctx.Done():
			}
			continue
		}
		begun := time.Now()
		err := Send(ctx, s.Channel, load)
		s.record(ctx, load, begun, err)
		switch {
		case err == nil:
			s.Outbox.ack(seq)
			failures = 0
			continue
		case ctx.Err() != nil:
			return
		case s.refused(ctx, load, err):
			failures++
		}
		if failures >= s.Tries {
			s.giveUp(seq, load, err)
			failures = 0
			continue
		}
		pause := s.retryPause()
		s.Log.Warn("return not delivered, will be sent again", "waiting", s.Outbox.Depth(), "pause", pause, "err", err)
		select {
		case <-time.After(pause):
		case <-s.Changed(): // the master may be back
		case <-ctx.Done():
		}
	}
}

// record records the span of an attempt.
func (s *Sender) record(ctx context.Context, load wire.Raw, begun time.Time, err error) {
	if !s.Tracer.On() {
		return
	}
	f, bad := wire.Pick(load, wire.Limits{}, tracing.ParentField, tracing.StateField, "jid")
	if bad != nil {
		return
	}
	jid, _ := wire.Str(f[2])
	s.Tracer.Record(tracing.Fields(f[0], f[1]).Extract(ctx), "salt.req.send._return", begun, time.Now(), err,
		attribute.String("salt.jid", jid), attribute.String("salt.master", s.Master))
}

var errBadReturn = errors.New("the stored return is damaged")

// Send sends one return. It does not decode the values.
func Send(ctx context.Context, to Channel, load []byte) error {
	m := wire.NewMap()
	err := wire.Fields(load, func(key string, val wire.Raw) error {
		if key == "cmd" || key == "id" { // the channel reads them again
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
	return to.Return(ctx, m)
}

// retryPause returns a pause between return_retry_timer and return_retry_timer_max.
func (s *Sender) retryPause() time.Duration {
	low, high := s.RetryMin, s.RetryMax
	if high <= low {
		return low
	}
	return low + rand.N(high-low)
}
