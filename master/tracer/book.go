package tracer

import (
	"context"
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/topology/trace"
)

// maxJobs is how many jobs a book remembers; the oldest are forgotten.
const maxJobs = 8192

// Book keeps the moments of a node's latest jobs, and the OpenTelemetry trace that each
// belongs to. It is safe for concurrent use.
type Book struct {
	mu   sync.Mutex
	jobs *lru.Guarded[string, *page]
}

// page is one job.
type page struct {
	trace.Moments
	carrier tracing.Carrier
}

// NewBook makes an empty book.
func NewBook() *Book { return &Book{jobs: lru.NewGuarded[string, *page](maxJobs, nil)} }

// Received opens the page of a job. A job that comes a second time keeps its
// first moments.
func (b *Book) Received(jid string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.jobs.Contains(jid) {
		b.jobs.Add(jid, &page{Moments: trace.Moments{Received: at}})
	}
}

// Published notes that the job went out.
func (b *Book) Published(jid string, at time.Time) {
	b.note(jid, func(m *page) { m.Published = at })
}

// Traced notes the trace of a job.
func (b *Book) Traced(jid string, c tracing.Carrier) {
	if c.Parent != "" {
		b.note(jid, func(m *page) { m.carrier = c })
	}
}

// Trace is the trace of a job; the zero Carrier if it has none, or none that is known.
func (b *Book) Trace(jid string) tracing.Carrier {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m, ok := b.jobs.Peek(jid); ok {
		return m.carrier
	}
	return tracing.Carrier{}
}

// Context puts the trace of a job under ctx.
func (b *Book) Context(ctx context.Context, jid string) context.Context {
	return b.Trace(jid).Extract(ctx)
}

// Returned notes a new return.
func (b *Book) Returned(jid string, at time.Time) {
	b.note(jid, func(m *page) {
		if m.First.IsZero() {
			m.First = at
		}
		m.Last = at
	})
}

// Closed notes that the account added up.
func (b *Book) Closed(jid string, at time.Time) {
	b.note(jid, func(m *page) { m.Closed = at })
}

func (b *Book) note(jid string, f func(*page)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m, ok := b.jobs.Peek(jid); ok {
		f(m)
	}
}

// Moments gives the page of a job.
func (b *Book) Moments(jid string) (trace.Moments, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m, ok := b.jobs.Peek(jid)
	if !ok {
		return trace.Moments{}, false
	}
	return m.Moments, true
}
