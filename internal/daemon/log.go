package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// LogOptions configure where log lines are written.
type LogOptions struct {
	Console      io.Writer // nil disables it
	ConsoleLevel slog.Level
	File         string // a path or a syslog URL as in Salt's log_file; "" disables it
	FileLevel    slog.Level
}

// OpenLog returns a logger. If the log file cannot be opened, the error names it. A file that
// is moved away later (by logrotate) is created again. Close the returned closer when the
// daemon ends.
func OpenLog(o LogOptions) (*slog.Logger, io.Closer, error) {
	var h fanOut
	var c io.Closer = nopCloser{}
	if o.Console != nil {
		h = append(h, newHandler(o.Console, o.ConsoleLevel, false))
	}
	if o.File != "" {
		to, err := openLogFile(o.File)
		if err != nil {
			return nil, nil, err
		}
		_, remote := to.(*syslogWriter)
		h, c = append(h, newHandler(to, o.FileLevel, !remote)), to
	}
	return slog.New(h), c, nil
}

// openLogFile opens the target of log_file: a file, or syslog, which adds time and process to a
// line itself.
func openLogFile(file string) (io.WriteCloser, error) {
	target, remote, err := parseSyslogURL(file)
	if err != nil {
		return nil, err
	}
	if remote {
		w, err := openSyslog(target, "mom")
		if err != nil {
			return nil, fmt.Errorf("log_file %s: %w", file, err)
		}
		return w, nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, fmt.Errorf("log_file: %w", err)
	}
	f, err := openWatched(file)
	if err != nil {
		return nil, fmt.Errorf("log_file: %w", err)
	}
	return f, nil
}

type nopCloser struct{}

func (nopCloser) Close() error { return nil }

// levelWriter is a writer that uses the level of a line.
type levelWriter interface {
	WriteLevel(l slog.Level, b []byte) (int, error)
}

// handler writes lines in Salt's form: `[INFO    ] text key=value …`, in files with time,
// logger and process in front.
type handler struct {
	mu    *sync.Mutex
	w     io.Writer
	level slog.Level
	file  bool
	attrs []byte
	group string
}

func newHandler(w io.Writer, level slog.Level, file bool) *handler {
	return &handler{mu: &sync.Mutex{}, w: w, level: level, file: file}
}

func (h *handler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level }

func (h *handler) Handle(_ context.Context, r slog.Record) error {
	var b bytes.Buffer
	if h.file {
		if !r.Time.IsZero() {
			b.WriteString(r.Time.Format("2006-01-02 15:04:05,000 "))
		}
		fmt.Fprintf(&b, "[mom:%d]", os.Getpid())
	}
	fmt.Fprintf(&b, "[%-8s] %s", levelName(r.Level), oneLine(r.Message))
	b.Write(h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		appendAttr(&b, h.group, a)
		return true
	})
	b.WriteByte('\n')
	h.mu.Lock()
	defer h.mu.Unlock()
	var err error
	if w, ok := h.w.(levelWriter); ok {
		_, err = w.WriteLevel(r.Level, b.Bytes())
	} else {
		_, err = h.w.Write(b.Bytes())
	}
	return err
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var b bytes.Buffer
	b.Write(h.attrs)
	for _, a := range attrs {
		appendAttr(&b, h.group, a)
	}
	c := *h
	c.attrs = b.Bytes()
	return &c
}

func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	c := *h
	c.group += name + "."
	return &c
}

func appendAttr(b *bytes.Buffer, group string, a slog.Attr) {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		if a.Key != "" {
			group += a.Key + "."
		}
		for _, in := range v.Group() {
			appendAttr(b, group, in)
		}
		return
	}
	if a.Equal(slog.Attr{}) {
		return
	}
	fmt.Fprintf(b, " %s%s=%s", group, a.Key, quoted(v.String()))
}

// quoted quotes a value that could be mistaken for something else: ids and errors come from
// strangers, who must not be able to forge a line.
func quoted(text string) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r == ' ' || r == '"' || r == '=' || !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// oneLine keeps a message on one line and safe for a terminal.
func oneLine(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		q := strconv.Quote(text)
		return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
	}
	return text
}

// fanOut passes records to several handlers.
type fanOut []slog.Handler

func (f fanOut) Enabled(ctx context.Context, l slog.Level) bool {
	for _, h := range f {
		if h.Enabled(ctx, l) {
			return true
		}
	}
	return false
}

func (f fanOut) Handle(ctx context.Context, r slog.Record) error {
	var errs []error
	for _, h := range f {
		if h.Enabled(ctx, r.Level) {
			errs = append(errs, h.Handle(ctx, r.Clone()))
		}
	}
	return errors.Join(errs...)
}

func (f fanOut) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make(fanOut, len(f))
	for i, h := range f {
		out[i] = h.WithAttrs(attrs)
	}
	return out
}

func (f fanOut) WithGroup(name string) slog.Handler {
	out := make(fanOut, len(f))
	for i, h := range f {
		out[i] = h.WithGroup(name)
	}
	return out
}
