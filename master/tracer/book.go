package tracer

import (
	"sync"
	"time"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/topology/trace"
)

// maxJobs is how many jobs a book remembers; the oldest are forgotten.
const maxJobs = 8192

// Book keeps the moments of a node's latest jobs. It is safe for concurrent use.
type Book struct {
	mu   sync.Mutex
	jobs *lru.Guarded[string, *trace.Moments]
}

// NewBook makes an empty book.
func NewBook() *Book { return &Book{jobs: lru.NewGuarded[string, *trace.Moments](maxJobs, nil)} }

// Received opens the page of a job. A job that comes a second time keeps its
// first moments.
func (b *Book) Received(jid string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.jobs.Contains(jid) {
		b.jobs.Add(jid, &trace.Moments{Received: at})
	}
}

// Published notes that the job went out.
func (b *Book) Published(jid string, at time.Time) {
	b.note(jid, func(m *trace.Moments) { m.Published = at })
}

// Returned notes a new return.
func (b *Book) Returned(jid string, at time.Time) {
	b.note(jid, func(m *trace.Moments) {
		if m.First.IsZero() {
			m.First = at
		}
		m.Last = at
	})
}

// Closed notes that the account added up.
func (b *Book) Closed(jid string, at time.Time) {
	b.note(jid, func(m *trace.Moments) { m.Closed = at })
}

func (b *Book) note(jid string, f func(*trace.Moments)) {
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
	return *m, true
}
