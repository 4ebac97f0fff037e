package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/value"
)

const (
	// beatTime is how often a stream without events shows that it lives.
	beatTime = 20 * time.Second
	// checkEvery is after how many beats the token is looked up again.
	checkEvery = 3
	// sendTime bounds how long a reader may take for one event.
	sendTime = 30 * time.Second
	// paceTime is the least time between two writes to a reader: of many events in a short
	// time the first goes at once, and the others together, for a write to each of a thousand
	// readers costs more than all else that is done for an event.
	paceTime = 20 * time.Millisecond
	// askTime bounds the question whether a token still holds.
	askTime = 10 * time.Second
)

// Why a stream ends.
var (
	errExpired = errors.New("the token has expired or was revoked")
	errStopped = errors.New("the server is shutting down")
)

// beginStream counts a request among the streams. Its context ends with the server, and
// with the token; the cause says so.
func (s *Server) beginStream(c *call) (context.Context, func(), error) {
	if s.streaming.Add(1) > int64(s.o.MaxStreams) {
		s.streaming.Add(-1)
		return nil, nil, refuse(http.StatusServiceUnavailable, "Too many streams are open; try again later")
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	stop := context.AfterFunc(s.ending, func() { cancel(errStopped) })
	var life *time.Timer
	if left := c.token.Expire.Sub(s.o.Now()); !c.token.Expire.IsZero() {
		life = time.AfterFunc(left, func() { cancel(errExpired) })
	}
	c.release() // it is no request at work any more
	c.link.conn.work()
	return ctx, func() {
		stop()
		if life != nil {
			life.Stop()
		}
		cancel(nil)
		c.link.conn.rest()
		s.streaming.Add(-1)
	}, nil
}

// stillHolds asks whether the token of a stream was revoked, and what its user may do now. A
// master that does not answer ends no stream.
func (s *Server) stillHolds(ctx context.Context, t Token) (Token, bool) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	now, err := s.b.Token(ctx, t.Token)
	if err == nil {
		now.Token = t.Token
		return now, true
	}
	p, _ := problemOf(err)
	return t, p.status != http.StatusUnauthorized
}

// sender writes to one reader of events.
type sender interface {
	// send writes an event.
	send(e stream.Event) error
	// flush is called when there is nothing more to send for now.
	flush() error
	// beat shows that the stream lives.
	beat(ctx context.Context) error
}

// serveEvents gives the events of a reader to a sender until one of them ends.
func (s *Server) serveEvents(ctx context.Context, t Token, r *stream.Reader, to sender) error {
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
				return s.endStream(to, err)
			}
			if !ok {
				break
			}
			if err := to.send(e); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return s.endStream(to, context.Cause(ctx))
			}
		}
		if err := to.flush(); err != nil {
			return err
		}
		pace.Reset(paceTime)
		select {
		case <-r.More():
		case <-ctx.Done():
			return s.endStream(to, context.Cause(ctx))
		case <-beat.C:
			if beats++; beats%checkEvery == 0 {
				now, ok := s.stillHolds(ctx, t)
				if !ok {
					return s.endStream(to, errExpired)
				}
				//mutant:api-rules-of-open-streams
				r.Listen(s.earOf(now))
			}
			if err := to.beat(ctx); err != nil {
				return err
			}
		}
	}
}

// endStream tells a reader why nothing more comes.
func (s *Server) endStream(to sender, why error) error {
	tag, reason := tagEnd, why.Error()
	switch {
	case errors.Is(why, stream.ErrSlow):
		tag = tagSlow
	case errors.Is(why, context.Canceled):
		return why // whoever read is gone
	case errors.Is(why, stream.ErrClosed):
		reason = errStopped.Error()
	}
	if err := to.send(stream.Event{Tag: tag, Data: line(tag, value.NewMap("reason", reason))}); err != nil {
		return err
	}
	if err := to.flush(); err != nil {
		return err
	}
	return why
}

// whyNoEvents asks the backend why it has none.
func (s *Server) whyNoEvents(ctx context.Context) error {
	e, err := s.b.Events(ctx)
	if err == nil {
		err = errors.Join(ErrNoEvents, e.Close())
	}
	return err
}

// subscribe opens the events that a request asks for.
func (s *Server) subscribe(c *call, after string) (*stream.Reader, *stream.Event, error) {
	if s.o.NoEvents {
		return nil, nil, s.whyNoEvents(c.ctx)
	}
	f, err := stream.NewFilter(c.r.URL.Query()["tag"])
	if err != nil {
		return nil, nil, refuse(http.StatusBadRequest, "tag: "+err.Error())
	}
	r, gap, err := s.hub.Subscribe(f, s.earOf(c.token), after)
	if err != nil {
		return nil, nil, refuse(http.StatusServiceUnavailable, errStopped.Error())
	}
	if gap == nil {
		return r, nil, nil
	}
	var missed any
	if gap.Missed > 0 {
		missed = int64(gap.Missed)
	}
	notice := line(tagGap, value.NewMap("after", after, "missed", missed, "reason", "events since then are not kept any more; ask the master what happened"))
	return r, &stream.Event{Tag: tagGap, Data: notice}, nil
}
