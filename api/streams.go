package api

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/value"
)

const (
	// beatTime is how often an idle stream shows that it is alive.
	beatTime = 20 * time.Second
	// checkEvery is the number of beats after which the token is looked up again.
	checkEvery = 3
	// sendTime bounds how long a reader may take for one event.
	sendTime = 30 * time.Second
	// paceTime is the least time between two writes to a reader. Of many events in a short time the
	// first goes at once and the others together: a write to each of a thousand readers costs more
	// than anything else that is done for an event.
	paceTime = 20 * time.Millisecond
	// checkTime bounds the look-up of the token of a stream.
	checkTime = 10 * time.Second
)

// Why a stream ends.
var (
	errExpired = errors.New("the token has expired or was revoked")
	errStopped = errors.New("the server is shutting down")
)

// sender writes to one reader of events.
type sender interface {
	// send writes an event.
	send(e stream.Event) error
	// flush is called if no more events wait.
	flush() error
	// beat shows that the stream is alive.
	beat(ctx context.Context) error
}

// streams counts and serves the answers without an end.
type streams struct {
	tokens tokenSource
	rules  eventRules
	max    int
	open   atomic.Int64
	ending context.Context // ends when the server begins to stop
	now    func() time.Time
}

// begin makes a request a stream. Its context ends with the server and with the token; the cause
// says which.
func (s *streams) begin(c *call) (context.Context, func(), error) {
	if s.open.Add(1) > int64(s.max) {
		s.open.Add(-1)
		return nil, nil, Refuse(http.StatusServiceUnavailable, "Too many streams are open; try again later")
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	stop := context.AfterFunc(s.ending, func() { cancel(errStopped) })
	var life *time.Timer
	if left := c.token.Expire.Sub(s.now()); !c.token.Expire.IsZero() {
		life = time.AfterFunc(left, func() { cancel(errExpired) })
	}
	c.release() // a stream does not count as a request in progress
	c.link.Conn.Begin()
	return ctx, func() {
		stop()
		if life != nil {
			life.Stop()
		}
		cancel(nil)
		c.link.Conn.End()
		s.open.Add(-1)
	}, nil
}

// stillValid looks the token of a stream up again, with the current rules of its user. A master that
// does not answer ends no stream.
func (s *streams) stillValid(ctx context.Context, t Token) (Token, bool) {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	now, err := s.tokens.Token(ctx, t.Token)
	if err == nil {
		now.Token = t.Token
		return now, true
	}
	p, _ := problemOf(err)
	return t, p.status != http.StatusUnauthorized
}

// serve sends the events of a reader until either side ends.
func (s *streams) serve(ctx context.Context, t Token, r *stream.Reader, to sender) error {
	beat := time.NewTicker(beatTime)
	defer beat.Stop()
	pace := time.NewTimer(0)
	defer pace.Stop()
	for beats := 1; ; {
		select {
		case <-pace.C:
		case <-ctx.Done():
		}
		for {
			e, ok, err := r.Try()
			if err != nil {
				return sendEnd(to, err)
			}
			if !ok {
				break
			}
			if err := to.send(e); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return sendEnd(to, context.Cause(ctx))
			}
		}
		if err := to.flush(); err != nil {
			return err
		}
		pace.Reset(paceTime)
		select {
		case <-r.More():
		case <-ctx.Done():
			return sendEnd(to, context.Cause(ctx))
		case <-beat.C:
			if beats++; beats%checkEvery == 0 {
				now, ok := s.stillValid(ctx, t)
				if !ok {
					return sendEnd(to, errExpired)
				}
				//mutant:api-rules-of-open-streams
				r.SetPermissions(s.rules.of(now))
			}
			if err := to.beat(ctx); err != nil {
				return err
			}
		}
	}
}

// sendEnd sends the reason why a stream ends, and returns it.
func sendEnd(to sender, why error) error {
	tag, reason := tagEnd, why.Error()
	switch {
	case errors.Is(why, stream.ErrSlow):
		tag = tagSlow
	case errors.Is(why, context.Canceled):
		return why // the reader has gone
	case errors.Is(why, stream.ErrClosed):
		reason = errStopped.Error()
	}
	if err := to.send(stream.Event{Tag: tag, Data: noticeData(tag, value.NewMap("reason", reason))}); err != nil {
		return err
	}
	if err := to.flush(); err != nil {
		return err
	}
	return why
}
