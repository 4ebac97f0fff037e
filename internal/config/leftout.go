package config

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// maxLeftOut bounds the entries in a [LeftOut].
const maxLeftOut = 100

// leaveOut reports an invalid entry of an option, which has no effect.
func (r *reader) leaveOut(p Place, option, text string) {
	r.warn(p, Replaced, option, text)
	r.left = append(r.left, p.String()+": "+text)
}

// LeftOut collects the invalid entries of options that a daemon logs as errors, such as access
// rules: records of level error with an attribute "option". It is a [slog.Handler] that
// forwards all records, and is safe for concurrent use.
type LeftOut struct {
	next  slog.Handler
	attrs []slog.Attr
	kept  *entries
}

// Entry is an invalid entry of an option.
type Entry struct {
	Option, Place string // "" if unknown
	// Text names the entry and its fault.
	Text string
}

// String returns place, option and text in one line.
func (e Entry) String() string {
	text := "option " + e.Option + ": " + e.Text
	if e.Place != "" {
		text = e.Place + ": " + text
	}
	return text
}

type entries struct {
	mu   sync.Mutex
	list []Entry
}

// NewLeftOut returns a LeftOut that forwards records to next.
func NewLeftOut(next slog.Handler) *LeftOut { return &LeftOut{next: next, kept: &entries{}} }

// List returns the entries that were logged so far, the first 100, each once.
func (l *LeftOut) List() []Entry {
	l.kept.mu.Lock()
	defer l.kept.mu.Unlock()
	return slices.Clone(l.kept.list)
}

// Enabled implements [slog.Handler].
func (l *LeftOut) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError || l.next.Enabled(ctx, level)
}

// WithGroup implements [slog.Handler]. Attributes in groups are not searched for options.
func (l *LeftOut) WithGroup(name string) slog.Handler {
	return &LeftOut{l.next.WithGroup(name), l.attrs, l.kept}
}

// WithAttrs implements [slog.Handler].
func (l *LeftOut) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &LeftOut{l.next.WithAttrs(attrs), slices.Concat(l.attrs, attrs), l.kept}
}

// Handle implements [slog.Handler].
func (l *LeftOut) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
		l.keep(r)
	}
	if !l.next.Enabled(ctx, r.Level) {
		return nil
	}
	return l.next.Handle(ctx, r)
}

func (l *LeftOut) keep(r slog.Record) {
	attrs := slices.Clone(l.attrs)
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	e, err := Entry{}, ""
	var whose []string
	for _, a := range attrs {
		switch a.Key {
		case "option":
			e.Option = a.Value.String()
		case "place":
			e.Place = a.Value.String()
		case "err":
			err = ": " + a.Value.String()
		default:
			whose = append(whose, fmt.Sprintf("%s %s", a.Key, a.Value))
		}
	}
	if e.Option == "" {
		return
	}
	if e.Text = r.Message + err; len(whose) > 0 {
		e.Text = strings.Join(whose, ", ") + ": " + e.Text
	}
	l.kept.mu.Lock()
	defer l.kept.mu.Unlock()
	if len(l.kept.list) < maxLeftOut && !slices.Contains(l.kept.list, e) {
		l.kept.list = append(l.kept.list, e)
	}
}
