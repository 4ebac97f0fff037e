package telemetry

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

// TraceBook keeps the moments of a node's latest jobs, and the OpenTelemetry trace that each
// belongs to. It is safe for concurrent use.
type TraceBook struct {
	mu   sync.Mutex
	jobs *lru.Guarded[string, *tracePage]
}

// tracePage is one job.
type tracePage struct {
	trace.Moments
	carrier tracing.Carrier
}

// NewTraceBook makes an empty book.
func NewTraceBook() *TraceBook {
	return &TraceBook{jobs: lru.NewGuarded[string, *tracePage](maxJobs, nil)}
}

// Received opens the tracePage of a job. A job that comes a second time keeps its
// firstNames moments.
func (b *TraceBook) Received(jid string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.jobs.Contains(jid) {
		b.jobs.Add(jid, &tracePage{Moments: trace.Moments{Received: at}})
	}
}

// Published notes that the job went out.
func (b *TraceBook) Published(jid string, at time.Time) {
	b.note(jid, func(m *tracePage) { m.Published = at })
}

// Traced notes the trace of a job.
func (b *TraceBook) Traced(jid string, c tracing.Carrier) {
	if c.Parent != "" {
		b.note(jid, func(m *tracePage) { m.carrier = c })
	}
}

// Trace is the trace of a job; the zero Carrier if it has none, or none that is known.
func (b *TraceBook) Trace(jid string) tracing.Carrier {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m, ok := b.jobs.Peek(jid); ok {
		return m.carrier
	}
	return tracing.Carrier{}
}

// Context puts the trace of a job under ctx.
func (b *TraceBook) Context(ctx context.Context, jid string) context.Context {
	return b.Trace(jid).Extract(ctx)
}

// Returned notes a new return.
func (b *TraceBook) Returned(jid string, at time.Time) {
	b.note(jid, func(m *tracePage) {
		if m.First.IsZero() {
			m.First = at
		}
		m.Last = at
	})
}

// Closed notes that the account added up.
func (b *TraceBook) Closed(jid string, at time.Time) {
	b.note(jid, func(m *tracePage) { m.Closed = at })
}

func (b *TraceBook) note(jid string, f func(*tracePage)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m, ok := b.jobs.Peek(jid); ok {
		f(m)
	}
}

// Moments gives the tracePage of a job.
func (b *TraceBook) Moments(jid string) (trace.Moments, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m, ok := b.jobs.Peek(jid)
	if !ok {
		return trace.Moments{}, false
	}
	return m.Moments, true
}
