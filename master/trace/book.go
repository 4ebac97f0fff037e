package trace

import (
	"sync"
	"time"
)

// Moments are when things happened to a job at one node; zero: not yet, or not
// known any more.
type Moments struct {
	Received  time.Time // the publication was taken
	Published time.Time // it was handed to the subscribers
	First     time.Time // the first return was stored
	Last      time.Time // the latest return was stored
	Closed    time.Time // the account added up
}

// maxJobs is how many jobs a book remembers; the oldest are forgotten.
const maxJobs = 8192

// Book keeps the moments of a node's latest jobs. It is safe for concurrent use.
type Book struct {
	mu    sync.Mutex
	jobs  map[string]*Moments
	order []string // a ring, the oldest at next
	next  int
}

// NewBook makes an empty book.
func NewBook() *Book { return &Book{jobs: map[string]*Moments{}} }

// Received opens the page of a job. A job that comes a second time keeps its
// first moments.
func (b *Book) Received(jid string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.jobs[jid]; ok {
		return
	}
	b.jobs[jid] = &Moments{Received: at}
	if len(b.order) < maxJobs {
		b.order = append(b.order, jid)
		return
	}
	delete(b.jobs, b.order[b.next])
	b.order[b.next] = jid
	b.next = (b.next + 1) % maxJobs
}

// Published notes that the job went out.
func (b *Book) Published(jid string, at time.Time) {
	b.note(jid, func(m *Moments) { m.Published = at })
}

// Returned notes a new return.
func (b *Book) Returned(jid string, at time.Time) {
	b.note(jid, func(m *Moments) {
		if m.First.IsZero() {
			m.First = at
		}
		m.Last = at
	})
}

// Closed notes that the account added up.
func (b *Book) Closed(jid string, at time.Time) {
	b.note(jid, func(m *Moments) { m.Closed = at })
}

func (b *Book) note(jid string, f func(*Moments)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m := b.jobs[jid]; m != nil {
		f(m)
	}
}

// Moments gives the page of a job.
func (b *Book) Moments(jid string) (Moments, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.jobs[jid]
	if m == nil {
		return Moments{}, false
	}
	return *m, true
}
