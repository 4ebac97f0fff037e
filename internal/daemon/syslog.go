package daemon

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// syslogQueue is how many lines may wait for a slow syslog. Further lines are dropped and
	// counted: logging must not block a daemon.
	syslogQueue = 1024
	// syslogGrace is how long Close waits for queued lines.
	syslogGrace = time.Second
)

// syslogWriter sends lines to syslog on its own goroutine.
type syslogWriter struct {
	lines   chan syslogLine
	dropped atomic.Int64
	closing chan struct{}
	done    chan struct{}
	once    sync.Once
}

type syslogLine struct {
	level slog.Level
	text  string
}

// sink has the methods of package log/syslog for each severity.
type sink interface {
	io.Closer
	Crit(text string) error
	Err(text string) error
	Warning(text string) error
	Info(text string) error
	Debug(text string) error
}

// openSyslog connects to a target.
func openSyslog(t syslogTarget, tag string) (*syslogWriter, error) {
	var errs []error
	for _, network := range t.networks {
		w, err := dialSyslog(network, t.address, t.facility, tag)
		if err == nil {
			return newSyslogWriter(w), nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("connect to syslog at %s: %w", t.address, errors.Join(errs...))
}

func newSyslogWriter(to sink) *syslogWriter {
	w := &syslogWriter{lines: make(chan syslogLine, syslogQueue), closing: make(chan struct{}), done: make(chan struct{})}
	go w.run(to)
	return w
}

// run sends lines until Close, and then the queued ones.
func (w *syslogWriter) run(to sink) {
	defer close(w.done)
	defer to.Close()
	for {
		select {
		case l := <-w.lines:
			w.send(to, l)
		case <-w.closing:
			for len(w.lines) > 0 {
				w.send(to, <-w.lines)
			}
			return
		}
	}
}

// send drops a line that fails; the next one reconnects.
func (w *syslogWriter) send(to sink, l syslogLine) {
	if n := w.dropped.Swap(0); n > 0 {
		_ = to.Warning(fmt.Sprintf("[WARNING ] log lines dropped: syslog is too slow count=%d", n))
	}
	_ = severity(to, l.level)(l.text)
}

// severity returns the method for a level.
func severity(to sink, l slog.Level) func(string) error {
	switch {
	case l >= LevelCritical:
		return to.Crit
	case l >= slog.LevelError:
		return to.Err
	case l >= slog.LevelWarn:
		return to.Warning
	case l >= slog.LevelInfo:
		return to.Info
	}
	return to.Debug
}

// WriteLevel queues a line. It never blocks.
func (w *syslogWriter) WriteLevel(l slog.Level, b []byte) (int, error) {
	select {
	case w.lines <- syslogLine{l, string(b)}:
	default:
		w.dropped.Add(1)
	}
	return len(b), nil
}

// Write queues a line of level info.
func (w *syslogWriter) Write(b []byte) (int, error) { return w.WriteLevel(slog.LevelInfo, b) }

// Close sends queued lines, for at most a second. Later lines are lost.
func (w *syslogWriter) Close() error {
	w.once.Do(func() { close(w.closing) })
	select {
	case <-w.done:
	case <-time.After(syslogGrace):
	}
	return nil
}
