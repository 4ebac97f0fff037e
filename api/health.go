package api

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/momtree/mom/value"
)

const (
	// healthTime bounds the question to the master.
	healthTime = 3 * time.Second
	// healthFresh is how long an answer of the master counts for those who ask after it.
	healthFresh = time.Second
)

// health tells whether the master answers: 200, or 503. It takes no place, and all who ask
// within a second have one answer of the master.
func (s *Server) health(c *call) error {
	if err := s.pings.ask(c.ctx, s.b, s.o.Now); err != nil {
		s.log.Warn("The master does not answer", "err", err)
		return refuse(http.StatusServiceUnavailable, "The master does not answer")
	}
	c.w.Header().Set("Cache-Control", "no-store")
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("alive", true, "master", true))
	return nil
}

// pings asks the master whether it answers, once for all who want to know.
type pings struct {
	mu   sync.Mutex
	last *ping
}

// ping is one question; err and at count once done is closed.
type ping struct {
	done chan struct{}
	err  error
	at   time.Time
}

func (p *pings) ask(ctx context.Context, b Backend, now func() time.Time) error {
	p.mu.Lock()
	q := p.last
	if q == nil || q.over() && (now().Before(q.at) || now().Sub(q.at) >= healthFresh) {
		q = &ping{done: make(chan struct{})}
		p.last = q
		p.mu.Unlock()
		q.ask(ctx, b)
		q.at = now()
		close(q.done)
	} else {
		p.mu.Unlock()
	}
	select {
	case <-q.done:
		return q.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ask goes on when whoever asked hangs up, for the others.
func (q *ping) ask(ctx context.Context, b Backend) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthTime)
	defer cancel()
	q.err = b.Ping(ctx)
}

func (q *ping) over() bool {
	select {
	case <-q.done:
		return true
	default:
		return false
	}
}
