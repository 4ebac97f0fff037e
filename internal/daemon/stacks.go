package daemon

import (
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"
)

// maxStacks bounds one dump in bytes.
const maxStacks = 64 << 20

// WriteStacks writes the stacks of all goroutines to a file salt-debug-*.log in the directory
// for temporary files at each SIGUSR1, like Salt's daemons, until stop is called. Otherwise
// that signal would end the daemon.
func WriteStacks(log *slog.Logger) (stop func()) {
	got, done := make(chan os.Signal, 1), make(chan struct{})
	notifyStacks(got)
	go func() {
		for {
			select {
			case <-got:
				path, err := writeStacks(time.Now())
				if err != nil {
					log.Error("writing stacks failed", "err", err)
					continue
				}
				log.Warn("stacks written", "path", path)
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(got)
		close(done)
	}
}

// writeStacks never writes to an existing file, because others may write to that directory.
func writeStacks(now time.Time) (path string, err error) {
	b := make([]byte, 1<<20)
	for {
		n := runtime.Stack(b, true)
		if n < len(b) || len(b) >= maxStacks {
			b = b[:n]
			break
		}
		b = make([]byte, 2*len(b))
	}
	path = filepath.Join(os.TempDir(), fmt.Sprintf("salt-debug-%d-%d.log", now.Unix(), os.Getpid()))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("write the stacks: %w", err)
	}
	_, err = f.Write(b)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return "", fmt.Errorf("write the stacks: %w", err)
	}
	return path, nil
}
