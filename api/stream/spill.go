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

	"github.com/momtree/mom/internal/posix"
)

const (
	// spillQueue and spillQueueBytes bound the events that wait to be written. Further ones are not
	// kept, and a reader that needs them learns of the gap.
	spillQueue      = 8192
	spillQueueBytes = 32 << 20
	// spillRetry is the time without writes after a failed write.
	spillRetry = time.Minute
)

// Spill keeps the events of a hub in a directory, so that readers can resume after a restart. It has two
// files: one grows to half of the bound and then replaces the other. Nothing is synced: a killed process
// loses the last moments, a power failure the last seconds. Because each hub has ids of its own, a reader
// that has read lost events learns of the gap.
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
	hole    bool // events were dropped
	closed  bool
	more    chan struct{}
	done    chan struct{}

	// Only the writer uses these.
	file   *os.File
	size   int64 // of its intact part
	epoch  string
	retry  time.Time // no write before this time
	warned time.Time // when dropped events were last logged
}

// OpenSpill reads the events in a directory, which it creates if needed. [New] starts to write. bound
// is the size of both files, in bytes. One process at a time can open a directory.
func OpenSpill(dir string, bound int64, now func() time.Time, log *slog.Logger) (_ *Spill, err error) {
	s := &Spill{dir: dir, bound: bound, log: log, now: now, more: make(chan struct{}, 1), done: make(chan struct{})}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create event directory: %w", err)
	}
	if s.lock, err = os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, fmt.Errorf("open event directory: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.lock.Close())
		}
	}()
	if err := posix.TryLock(s.lock); err != nil {
		return nil, fmt.Errorf("lock event directory %s: in use by another process: %w", dir, err)
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

// read reads the events in a file and returns the size of its intact part.
func (s *Spill) read(name string) (int64, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|posix.NoFollow|posix.NonBlock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read event file: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, s.bound+maxRecord))
	if err != nil {
		return 0, fmt.Errorf("read event file: %w", err)
	}
	good := s.past.load(b)
	if good < len(b) {
		s.log.Warn("truncated event file, tail skipped", "path", name, "bytes", len(b)-good)
	}
	return int64(good), nil
}

// begin starts to write the events of a hub from the number next on.
func (s *Spill) begin(epoch string, next uint64) {
	s.epoch = epoch
	go func() {
		defer close(s.done)
		s.write(next)
	}()
}

// put queues an event to be written. It never blocks.
func (s *Spill) put(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if s.hole || len(s.waiting) >= spillQueue || s.bytes+size(e) > spillQueueBytes && len(s.waiting) > 0 {
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

// Close writes the queued events and unlocks the directory. The caller closes the hub first.
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

// write writes queued events until the spill is closed.
func (s *Spill) write(next uint64) {
	defer func() {
		if s.file != nil {
			if err := s.file.Close(); err != nil {
				s.failed(err)
			}
		}
	}()
	start := true // the file needs the start of the epoch
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
		case hole && s.now().After(s.warned.Add(spillRetry)):
			s.warned = s.now()
			s.log.Warn("event file falling behind, events not kept for resuming readers")
		}
		if len(events) > 0 {
			next = events[len(events)-1].Seq + 1
		}
		<-s.more
	}
}

// open opens a file with room. It returns true if the file needs the start of the epoch.
func (s *Spill) open(start bool) bool {
	if s.now().Before(s.retry) {
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
	f, err := os.OpenFile(s.newer(), os.O_RDWR|os.O_CREATE|posix.NoFollow, 0o600)
	if err != nil {
		return err
	}
	s.file = f
	//mutant:api-torn-end
	return f.Truncate(s.size) // removes a torn record
}

// append writes records. It returns false if they were not written.
func (s *Spill) append(b []byte) bool {
	if s.file == nil || s.now().Before(s.retry) {
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
	s.retry = s.now().Add(spillRetry)
	s.log.Error("event file not written, retrying", "path", s.dir, "err", err, "retry_in", spillRetry)
}
