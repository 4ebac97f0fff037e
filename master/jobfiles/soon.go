package jobfiles

import (
	"sync"
	"time"
)

// lagging is how far the files of a job that grows may lag behind. Each slice of a batch would
// else write the names of all slices before it.
const lagging = time.Second

// soon are writes that wait. The zero value is ready.
type soon struct {
	mu     sync.Mutex
	jobs   map[string]*waiting
	closed bool
	work   sync.WaitGroup
}

// waiting is a job that was written less than [lagging] ago.
type waiting struct {
	timer *time.Timer
	write func() // nil: nothing new
}

// Soon calls write at once, in its own goroutine, or a second after the last call for that job:
// however often a job grows, that is written once a second. [Folder.Close] calls what waits.
func (f *Folder) Soon(id string, write func()) {
	s := &f.soon
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if w := s.jobs[id]; w != nil {
		w.write = write
		return
	}
	if s.jobs == nil {
		s.jobs = map[string]*waiting{}
	}
	w := &waiting{}
	s.jobs[id] = w
	s.start(id, w, write)
}

// start writes, and looks again later. The caller holds mu.
func (s *soon) start(id string, w *waiting, write func()) {
	s.work.Go(func() {
		write()
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.closed {
			w.timer = time.AfterFunc(lagging, func() { s.due(id, w) })
		}
	})
}

// due writes what has come since the last write, if something has.
func (s *soon) due(id string, w *waiting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	write := w.write
	if s.closed || write == nil {
		delete(s.jobs, id)
		return
	}
	w.write = nil
	s.start(id, w, write)
}

// Close writes what waits.
func (f *Folder) Close() {
	s := &f.soon
	s.mu.Lock()
	s.closed = true
	jobs := s.jobs
	s.jobs = nil
	s.mu.Unlock()
	s.work.Wait()
	for _, w := range jobs {
		if w.timer != nil {
			w.timer.Stop()
		}
		if w.write != nil {
			w.write()
		}
	}
}
