package jobfiles

import (
	"sync"
	"time"
)

// saveInterval is how much the files of a growing job may lag. Otherwise each slice of a batch would
// write the names of all earlier ones.
const saveInterval = time.Second

// delayed holds delayed writes. The zero value is ready.
type delayed struct {
	mu     sync.Mutex
	jobs   map[string]*waiting
	closed bool
	work   sync.WaitGroup
}

// waiting is a job written less than [saveInterval] ago.
type waiting struct {
	timer *time.Timer
	write func() // nil if nothing is pending
}

// Soon calls write in its own goroutine: at once, or one second after the last write of that job, so
// that a growing job is written once a second. [Folder.Close] runs pending writes. It does not block.
func (f *Folder) Soon(id string, write func()) {
	s := &f.delayed
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

// start runs write, and schedules the next check. The caller holds mu.
func (s *delayed) start(id string, w *waiting, write func()) {
	s.work.Go(func() {
		write()
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.closed {
			w.timer = time.AfterFunc(saveInterval, func() { s.due(id, w) })
		}
	})
}

// due runs the pending write, if any.
func (s *delayed) due(id string, w *waiting) {
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

// Close runs pending writes.
func (f *Folder) Close() {
	s := &f.delayed
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
