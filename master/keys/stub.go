package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// stub reports whether there is a valid stub for id. It removes an expired one.
func (s *Store) stub(id string) bool {
	if !s.Has(Autosign, id) {
		return false
	}
	info, err := os.Stat(s.path(Autosign, id))
	if err != nil {
		return false
	}
	if s.stubExpired(info.ModTime()) {
		s.log.Warn("autosign stub expired", "hint", "remove it", "id", id)
		s.useStub(id)
		return false
	}
	return true
}

func (s *Store) stubExpired(at time.Time) bool {
	life := s.opts.AutosignTimeout
	return life > 0 && s.opts.Now().Sub(at) > life
}

// useStub removes a stub, which is valid once. It reports whether this call removed it.
func (s *Store) useStub(id string) bool {
	err := os.Remove(s.path(Autosign, id))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.Error("autosign stub not removed", "id", id, "err", err)
	}
	s.refresh(Autosign, id, false)
	return err == nil
}

// drop removes a key file without a report.
func (s *Store) drop(st State, id string) error {
	if err := os.Remove(s.path(st, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove key: %w", err)
	}
	s.refresh(st, id, false)
	return nil
}

// sweepStubs removes expired stubs.
func (s *Store) sweepStubs() {
	if s.opts.AutosignTimeout <= 0 {
		return
	}
	for _, id := range s.List(Autosign) {
		unlock := s.lock(id)
		s.stub(id)
		unlock()
	}
}
