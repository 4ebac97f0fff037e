package durable

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/momtree/mom/internal/posix"
)

// Syncer lets many callers wait for one sync. It is safe for concurrent use.
type Syncer struct {
	sync func() error

	mu   sync.Mutex
	next *round        // for new callers: a running sync may not cover what they wrote
	turn chan struct{} // one sync at a time
}

type round struct {
	once sync.Once
	err  error
}

// New returns a Syncer that calls sync.
func New(sync func() error) *Syncer { return &Syncer{sync: sync, turn: make(chan struct{}, 1)} }

// File syncs the content of a file. Sync its directory for its name.
func File(path string) error {
	f, err := os.OpenFile(path, posix.SyncFlag, 0)
	if err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return errors.Join(f.Sync(), f.Close())
}

// Held returns a Syncer for a file that its owner keeps open. held returns the current file, or
// nil. A file that was closed meanwhile is not an error, because its owner has synced it.
func Held(held func() *os.File) *Syncer {
	return New(func() error {
		f := held()
		if f == nil {
			return nil
		}
		if err := f.Sync(); err != nil && !errors.Is(err, os.ErrClosed) {
			return err
		}
		return nil
	})
}

// Wait returns when a sync that began after the call has ended, with its error.
func (s *Syncer) Wait() error {
	s.mu.Lock()
	if s.next == nil {
		s.next = &round{}
	}
	r := s.next
	s.mu.Unlock()
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	r.once.Do(func() { // the first caller syncs for all
		s.mu.Lock()
		s.next = nil
		s.mu.Unlock()
		r.err = s.sync()
	})
	return r.err
}
