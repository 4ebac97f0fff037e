package master

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/wire"
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
	m.books.End(jid, func() error {
		m.over(jid) // a file is removed: not in the ledger's turn
		return m.closed(jid)
	})
}

// bookLate has late word of a closed job told to the masters above.
func (m *Master) bookLate(jid string) {
	if m.parent == "" {
		return
	}
	m.books.End(jid, func() error {
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
