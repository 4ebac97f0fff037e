package daemon

import (
	"os"
	"sync"
	"time"
)

// watchEvery is how often a log file is looked for at its path.
const watchEvery = time.Second

// watched is a log file that is opened anew when it was moved or removed, as
// Salt does with its own.
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

// follow opens the file at the path if it is another one now. When that cannot
// be done, the old one is still better than none.
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
		_ = old.Close() // what was written to it is in the system's hands
	}
}

func (w *watched) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.f.Close()
}
