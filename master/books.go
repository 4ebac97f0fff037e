package master

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/returners"
)

// entry is what the books are told: an expectation, unless it has no jid, and who
// hears when it and all before it are stored. then must neither wait nor ask the
// ledger, whose hooks may be waiting for room in the books.
type entry struct {
	x    returners.Expectation
	then func(error)
}

// book hands what is worth keeping about a job to the one goroutine that writes
// it, so that neither the ledger nor a request waits for the disk. The queue is
// bounded: when it is full the caller waits.
func (m *Master) book(x returners.Expectation) { m.bookEntry(entry{x: x}) }

func (m *Master) bookEntry(e entry) {
	select {
	case m.books <- e:
	case <-m.ctx.Done():
	}
}

// booked waits until all that was handed to book before is stored.
func (m *Master) booked(ctx context.Context) error {
	done := make(chan error, 1)
	m.bookEntry(entry{then: func(err error) { done <- err }})
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("%w: %w", errNotStored, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errNotStored, ctx.Err())
	}
}

// bookClosed ends the account of a job in the books: its mark goes only after the
// reasons of those that are missing are stored.
func (m *Master) bookClosed(jid string) {
	m.bookEntry(entry{then: func(err error) {
		if err == nil {
			err = m.closed(jid)
		}
		if err != nil {
			m.log.Error("A closed job will be looked at again after a restart", "jid", jid, "err", err)
		}
	}})
}

// bookLate has late word of a closed job told to the masters above.
func (m *Master) bookLate(jid string) {
	if m.parent == "" {
		return
	}
	m.bookEntry(entry{then: func(err error) {
		if err == nil && !m.open.has(jid) { // else its end is still to come
			err = m.closed(jid)
		}
		if err != nil {
			m.log.Error("Late word of a job may not reach the masters above", "jid", jid, "err", err)
		}
	}})
}

// keepBooks writes what was handed to book, many entries per commit, until the
// master ends and the queue is empty.
func (m *Master) keepBooks() {
	for {
		var batch []entry
		select {
		case e := <-m.books:
			batch = append(batch, e)
		case <-m.ctx.Done():
		}
	more:
		for len(batch) < 500 {
			select {
			case e := <-m.books:
				batch = append(batch, e)
			default:
				break more
			}
		}
		if len(batch) == 0 {
			return
		}
		err := m.storeEntries(batch)
		for _, e := range batch {
			if e.then != nil {
				e.then(err)
			}
		}
	}
}

func (m *Master) storeEntries(batch []entry) error {
	var xs []returners.Expectation
	for _, e := range batch {
		if e.x.JID != "" {
			xs = append(xs, e.x)
		}
	}
	if len(xs) == 0 {
		return nil
	}
	ctx, cancel := storeContext()
	defer cancel()
	err := m.store.SaveExpectations(ctx, xs...)
	if err != nil {
		m.log.Error("The expectations of jobs could not be stored", "count", len(xs), "jid", xs[0].JID, "err", err)
	}
	return err
}

// storeContext bounds a write that must not be given up because the master ends.
func storeContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 30*time.Second)
}
