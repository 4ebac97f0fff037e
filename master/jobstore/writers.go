package jobstore

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/returners"
)

// mysqlName is the returner whose rows have the destination DestMySQL without a job cache, too:
// earlier versions left rows there.
const mysqlName = "mysql"

// writer is the write-behind of one destination of the outbox into a returner.
type writer struct {
	name, dest string
	open       func(ctx context.Context) (returners.Sink, io.Closer, error)

	mu     sync.Mutex
	drain  *returners.Drain // nil until it is open
	opened io.Closer
	err    error // of the last attempt to open it
}

// WriterStats are the counters of the write-behind into one returner.
type WriterStats struct {
	Name string // of the returner
	Dest string // its outbox destination
	// OpenErr says why the returner could not be opened; nil once it is open.
	OpenErr error
	Drain   *returners.DrainStats // nil until it is open
}

// addWriters creates the writers of the job cache and of event_return.
func (s *Store) addWriters() {
	if open := s.o.OpenRemote; open != nil {
		s.writers = append(s.writers, &writer{name: s.o.RemoteName, dest: returners.DestMySQL, open: func(ctx context.Context) (returners.Sink, io.Closer, error) {
			remote, err := open(ctx)
			if err != nil {
				return nil, nil, err
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.remote = remote
			return remote, remote, nil
		}})
	}
	for _, e := range s.o.Events {
		cached := s.o.OpenRemote != nil && e.Name == s.o.RemoteName
		dest := returners.DestEventsPrefix + e.Name
		if cached || s.o.OpenRemote == nil && e.Name == mysqlName {
			dest = returners.DestMySQL
		}
		s.events = append(s.events, dest)
		if cached {
			continue
		}
		s.writers = append(s.writers, &writer{name: e.Name, dest: dest, open: func(ctx context.Context) (returners.Sink, io.Closer, error) {
			keeper, err := e.Open(ctx)
			if err != nil {
				return nil, nil, err
			}
			return returners.EventSink(keeper), keeper, nil
		}})
	}
}

// fill opens a returner, retrying until ctx ends, and drains its part of the outbox into it.
func (s *Store) fill(ctx context.Context, w *writer) {
	for wait := time.Second; ; wait = min(2*wait, 30*time.Second) {
		sink, opened, err := w.open(ctx)
		if err == nil {
			//mutant:events-aside-are-bounded
			d := returners.NewDrain(s.outbox(w.dest), sink, returners.DrainConfig{Dest: w.dest, BatchRows: s.o.Bounds.DrainRows, Rescue: s.o.Rescue, Log: s.o.Log})
			w.set(d, opened, nil)
			if err := d.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
				s.o.Log.Error("job cache writer stopped", "returner", w.name, "err", err)
			}
			return
		}
		w.set(nil, nil, err)
		s.o.Log.Error("database not opened, rows wait in the outbox", "returner", w.name, "err", err, "retry_in", wait)
		if timing.Sleep(ctx, wait) != nil {
			return
		}
	}
}

func (w *writer) set(d *returners.Drain, opened io.Closer, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drain, w.opened, w.err = d, opened, err
}

func (w *writer) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.drain != nil {
		w.drain.Wake()
	}
}

func (w *writer) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.opened == nil {
		return nil
	}
	return w.opened.Close()
}

func (w *writer) stats() WriterStats {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := WriterStats{Name: w.name, Dest: w.dest, OpenErr: w.err}
	if w.drain != nil {
		st := w.drain.Stats()
		out.Drain = &st
	}
	return out
}
