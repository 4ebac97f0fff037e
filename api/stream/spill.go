package stream

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// spillWaiting and spillWaitingBytes bound what waits to be written; what comes on top
	// is not kept, and a reader that needs it is told.
	spillWaiting      = 8192
	spillWaitingBytes = 32 << 20
	// spillRest is how long nothing is written after a write that failed.
	spillRest = time.Minute
)

// Spill keeps the events of a hub in a folder, so that ids hold over a restart. It has two
// files: one is written until it has half of the bound, then it takes the place of the other
// one. Nothing is synced: a process that is killed loses the last moments, a loss of power
// the last seconds, and a reader that has had events which are lost is told that there is a
// gap, since each life of a hub has ids of its own.
type Spill struct {
	dir   string
	bound int64
	log   *slog.Logger
	now   func() time.Time
	lock  *os.File
	past  past

	mu      sync.Mutex
	waiting []Event
	bytes   int
	hole    bool // events were left out
	closed  bool
	more    chan struct{}
	done    chan struct{}

	// Of the writer alone.
	file  *os.File
	size  int64 // what is good of it
	epoch string
	rest  time.Time // until when nothing is written
	told  time.Time // when it was told that some are left out
}

// OpenSpill reads what is in a folder, which is made if it is not there, and begins to
// write when a hub has it. bound is that of both files, in bytes; now tells when a
// write that failed is tried again. One process can have a folder at a time.
func OpenSpill(dir string, bound int64, now func() time.Time, log *slog.Logger) (_ *Spill, err error) {
	s := &Spill{dir: dir, bound: bound, log: log, now: now, more: make(chan struct{}, 1), done: make(chan struct{})}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of events: %w", err)
	}
	if s.lock, err = os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, fmt.Errorf("open the folder of events: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.lock.Close())
		}
	}()
	if err := unix.Flock(int(s.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, fmt.Errorf("the folder of events %s is in use by another process: %w", dir, err)
	}
	for _, name := range []string{s.older(), s.newer()} {
		if s.size, err = s.read(name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Spill) older() string { return filepath.Join(s.dir, "events.old") }
func (s *Spill) newer() string { return filepath.Join(s.dir, "events") }

// read takes over what a file has, and gives how many bytes of it are good.
func (s *Spill) read(name string) (int64, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the events of before: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, s.bound+maxRecord))
	if err != nil {
		return 0, fmt.Errorf("read the events of before: %w", err)
	}
	good := s.past.take(b)
	if good < len(b) {
		s.log.Warn("truncated event file, tail skipped", "path", name, "bytes", len(b)-good)
	}
	return int64(good), nil
}

// begin has the events of a hub written from the number next on.
func (s *Spill) begin(epoch string, next uint64) {
	s.epoch = epoch
	go func() {
		defer close(s.done)
		s.write(next)
	}()
}

// put leaves an event to be written. It never waits.
func (s *Spill) put(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if s.hole || len(s.waiting) >= spillWaiting || s.bytes+size(e) > spillWaitingBytes && len(s.waiting) > 0 {
		s.hole = true
		return
	}
	s.waiting = append(s.waiting, e)
	s.bytes += size(e)
	s.wake()
}

func (s *Spill) wake() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// Close writes what waits and gives the folder back. A hub that was closed before puts
// nothing more.
func (s *Spill) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.wake()
	s.mu.Unlock()
	if !first {
		return nil
	}
	if s.epoch != "" {
		<-s.done
	}
	return s.lock.Close()
}

// write writes what comes until the spill is closed.
func (s *Spill) write(next uint64) {
	defer func() {
		if s.file != nil {
			if err := s.file.Close(); err != nil {
				s.failed(err)
			}
		}
	}()
	start := true // an epoch has to be told first
	for {
		s.mu.Lock()
		events, hole, closed := s.waiting, s.hole, s.closed
		s.waiting, s.bytes, s.hole = nil, 0, false
		s.mu.Unlock()
		if len(events) > 0 || start {
			var b []byte
			if len(events) > 0 {
				next = events[0].Seq
			}
			if start = s.open(start); start {
				b = appendStart(b, s.epoch, next)
			}
			for _, e := range events {
				b = appendEvent(b, e)
			}
			start = !s.append(b)
		}
		switch {
		case closed:
			return
		case hole && s.now().After(s.told.Add(spillRest)):
			s.told = s.now()
			s.log.Warn("event file falling behind, events not kept for resuming readers")
		}
		if len(events) > 0 {
			next = events[len(events)-1].Seq + 1
		}
		<-s.more
	}
}

// open sees to it that there is a file with room; true if an epoch has to be told in it.
func (s *Spill) open(start bool) bool {
	if s.now().Before(s.rest) {
		return true
	}
	if s.file != nil && s.size < s.bound/2 {
		return start
	}
	if err := s.reopen(); err != nil {
		s.failed(err)
	}
	return true
}

func (s *Spill) reopen() error {
	if s.size >= s.bound/2 {
		if s.file != nil {
			err := s.file.Close()
			s.file = nil
			if err != nil {
				return err
			}
		}
		if err := os.Rename(s.newer(), s.older()); err != nil {
			return err
		}
		s.size = 0
	}
	if s.file != nil {
		return nil
	}
	f, err := os.OpenFile(s.newer(), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	s.file = f
	//mutant:api-torn-end
	return f.Truncate(s.size) // what was torn is no beginning of a record
}

// append writes records; false if they are not there.
func (s *Spill) append(b []byte) bool {
	if s.file == nil || s.now().Before(s.rest) {
		return false
	}
	n, err := s.file.WriteAt(b, s.size)
	if err != nil {
		s.failed(errors.Join(err, s.file.Truncate(s.size)))
		return false
	}
	s.size += int64(n)
	return true
}

func (s *Spill) failed(err error) {
	s.rest = s.now().Add(spillRest)
	s.log.Error("event file not written, retrying", "path", s.dir, "err", err, "retry_in", spillRest)
}
