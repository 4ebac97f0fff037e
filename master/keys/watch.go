package keys

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Run follows changes by others until ctx ends or the store is closed. The kernel reports changes; for
// file systems that do not (network file systems, exhausted watches), Run polls the folders' times
// and, more rarely, compares everything. It removes expired stubs.
func (s *Store) Run(ctx context.Context) error {
	if !s.begin() {
		return ErrClosed
	}
	defer s.running.Done()
	var events chan fsnotify.Event
	var faults chan error
	w, err := s.newWatcher()
	if err != nil {
		s.log.Warn("key directories not watched, polling", "interval", s.opts.PollInterval, "err", err)
	} else {
		defer w.Close()
		events, faults = w.Events, w.Errors
		s.watch(w)
	}
	s.reconcile()

	poll := time.NewTicker(s.opts.PollInterval)
	defer poll.Stop()
	full := time.NewTicker(s.opts.ReconcileInterval)
	defer full.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.closing:
			return nil
		case ev, ok := <-events:
			if ok {
				s.event(ev)
			}
		case err := <-faults:
			s.log.Warn("key directory watch overflowed, rescanning", "err", err)
			s.reconcile()
		case <-poll.C:
			s.watch(w)
			s.poll()
			s.sweepStubs()
		case <-full.C:
			s.reconcile()
		}
	}
}

// begin registers a Run, unless the store is closed.
func (s *Store) begin() bool {
	s.lifecycle.Lock()
	defer s.lifecycle.Unlock()
	select {
	case <-s.closing:
		return false
	default:
		s.running.Add(1)
		return true
	}
}

// Close stops [Store.Run] and waits for it. Lookups continue to work.
func (s *Store) Close() error {
	s.lifecycle.Lock()
	s.closeOnce.Do(func() { close(s.closing) })
	s.lifecycle.Unlock()
	s.running.Wait()
	return nil
}

// watch adds the folders to the watcher. It keeps existing watches, and renews those of folders that
// were created again.
func (s *Store) watch(w *fsnotify.Watcher) {
	if w == nil {
		return
	}
	for st := range numStates {
		dir := filepath.Join(s.opts.PkiDir, st.Folder())
		err := w.Add(dir)
		if err != nil && !s.unwatched[st] {
			s.log.Warn("key directory not watched, polling", "path", dir, "err", err)
		}
		s.unwatched[st] = err != nil
	}
}

func (s *Store) event(ev fsnotify.Event) {
	name := filepath.Base(ev.Name)
	if name == "" || name[0] == '.' {
		return
	}
	dir := filepath.Base(filepath.Dir(ev.Name))
	for st := range numStates {
		if st.Folder() == dir {
			s.refresh(st, name, ev.Has(fsnotify.Write) || ev.Has(fsnotify.Create))
			return
		}
	}
}

func (s *Store) reconcile() {
	if err := s.Reconcile(); err != nil {
		s.log.Error("key directories not rescanned", "err", err)
	}
}

// poll reads the names of folders whose time changed.
func (s *Store) poll() {
	for st := range numStates {
		dir := filepath.Join(s.opts.PkiDir, st.Folder())
		info, err := os.Stat(dir)
		if err == nil {
			s.mu.RLock()
			same := info.ModTime().Equal(s.folders[st].seen)
			s.mu.RUnlock()
			if same {
				continue
			}
		}
		if err := s.reconcileNames(st); err != nil && !errors.Is(err, os.ErrNotExist) {
			s.log.Error("key directory unreadable", "path", dir, "err", err)
		}
	}
}
