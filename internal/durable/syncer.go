package durable

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// Syncer lets many wait for one sync. It is safe for concurrent use.
type Syncer struct {
	sync func() error

	mu   sync.Mutex
	next *round        // for those who come now: a sync that runs may not cover what they wrote
	turn chan struct{} // one sync at a time
}

type round struct {
	once sync.Once
	err  error
}

// New makes a Syncer over a function that syncs.
func New(sync func() error) *Syncer { return &Syncer{sync: sync, turn: make(chan struct{}, 1)} }

// File syncs what a file holds. Its name is as durable as its folder.
func File(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync %s: %w", path, err)
	}
	return errors.Join(f.Sync(), f.Close())
}

// Held makes a Syncer of a file that its owner keeps open: held gives the one of the
// moment, nil for none. One that was closed meanwhile is no error: who closes a file, or
// puts another in its place, has synced what was in it.
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
	r.once.Do(func() { // the first of those who wait syncs for all of them
		s.mu.Lock()
		s.next = nil
		s.mu.Unlock()
		r.err = s.sync()
	})
	return r.err
}
