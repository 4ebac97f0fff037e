package daemon

import (
	"os"
	"sync"
	"time"
)

// watchEvery is the interval of checks whether the log file is still at its path.
const watchEvery = time.Second

// watched is a log file that is opened again after it was moved or removed, like Salt's.
type watched struct {
	path string
	now  func() time.Time

	mu     sync.Mutex
	f      *os.File
	looked time.Time
}

func openWatched(path string) (*watched, error) {
	w := &watched{path: path, now: time.Now}
	return w, w.open()
}

func (w *watched) open() error {
	f, err := os.OpenFile(w.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	w.f, w.looked = f, w.now()
	return nil
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := w.now(); now.Sub(w.looked) >= watchEvery {
		w.looked = now
		w.follow()
	}
	return w.f.Write(b)
}

// follow opens the file at the path if it is a different one now. If that fails, the old file
// stays in use.
func (w *watched) follow() {
	was, err := w.f.Stat()
	if err != nil {
		return
	}
	if is, err := os.Stat(w.path); err == nil && os.SameFile(was, is) {
		return
	}
	old := w.f
	if w.open() == nil {
		_ = old.Close() // written data is with the system already
	}
}

func (w *watched) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.f.Close()
}
