package master

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ledger"
)

// booked waits until all that was written about jobs before is stored.
func (m *Master) booked(ctx context.Context) error {
	if err := m.books.Wait(ctx); err != nil {
		return fmt.Errorf("%w: %w", errNotStored, err)
	}
	return nil
}

// bookClosed ends the account of a job in the books: its mark goes only after the
// reasons of those that are missing are stored.
func (m *Master) bookClosed(jid string) {
	m.books.End(jid, func() error { return m.end(jid) })
}

func (m *Master) end(jid string) error {
	m.over(jid) // a file is removed: not in the ledger's turn
	return m.closed(jid)
}

// bookAgain has closed jobs ended of which words were let go, because more than may wait
// were owed by a full disk: as a restart would, but in this life.
func (m *Master) bookAgain(jids []string) {
	m.wg.Go(func() {
		for _, jid := range jids {
			if err := m.bookOnceMore(m.ctx, jid); err != nil {
				m.log.Error("A closed job will be looked at again after a restart", "jid", jid, "err", err)
			}
		}
	})
}

func (m *Master) bookOnceMore(ctx context.Context, jid string) error {
	if err := m.books.Room(ctx); err != nil {
		return err
	}
	defer m.starts.Lock(jid)()
	a, known := m.ledger.State(jid)
	switch {
	case !m.open.Has(jid):
		return nil
	case !known:
		return m.restoreJob(ctx, jid)
	case a.Open(): // its end is still to come
		return nil
	}
	losses := m.books.Losses()
	maps.DeleteFunc(a.Nodes, func(_ string, s ledger.NodeState) bool { return !s.Failed() })
	m.bookMissing(jid, a.Missing, a.Nodes) // what nodes have said and is not stored they say again
	m.books.EndSince(jid, losses, func() error { return m.end(jid) })
	return nil
}

// lateWords are jobs of which word is told that may come after their end, until that is
// in the books. The zero value is ready.
type lateWords struct {
	mu   sync.Mutex
	jobs map[string]int
}

// hold adds jobs until release is called.
func (l *lateWords) hold(jids ...string) (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.jobs == nil {
		l.jobs = map[string]int{}
	}
	for _, jid := range jids {
		l.jobs[jid]++
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, jid := range jids {
			if l.jobs[jid]--; l.jobs[jid] == 0 {
				delete(l.jobs, jid)
			}
		}
	}
}

func (l *lateWords) list() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.jobs))
}

// bookLate has late word of a closed job told to the masters above.
func (m *Master) bookLate(jid string) {
	if m.parent == "" {
		return
	}
	m.books.Late(jid, func() error {
		if m.open.Has(jid) { // its end is still to come
			return nil
		}
		return m.closed(jid)
	})
}

// closed ends the mark of an open job whose account is closed and stored. A node
// keeps another one until the masters above that asked have heard of it: the event
// comes after all that was told of the job, and names what [Master.Told] is to say.
func (m *Master) closed(jid string) error {
	if m.parent == "" {
		return m.open.Clear(jid)
	}
	word, err := m.untold.Add(m.open, jid)
	if err != nil {
		return err
	}
	m.fire("salt/job/"+jid+"/closed", closedData(jid, word))
	return nil
}

func closedData(jid string, word uint64) *wire.Map {
	return wire.NewMap("jid", jid, "word", int64(word)) //nolint:gosec // counts closed jobs
}

// Told tells that the masters above that asked for a job have taken all that was
// told of it up to the event salt/job/<jid>/closed with that word.
func (m *Master) Told(jid string, word uint64) {
	if err := m.untold.Told(jid, word); err != nil {
		m.log.Error("A job will be told to the masters above again", "jid", jid, "err", err)
	}
}

// storeContext bounds a write that must not be given up because the master ends.
func storeContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 30*time.Second)
}
