package gitrepo

import (
	"context"
	"fmt"
	"io"
	"time"
)

// meter counts the bytes of a remote. It ends the fetch if there are too many, or none for too
// long.
type meter struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   time.Duration
	timer  *time.Timer
	left   int64
}

func newMeter(ctx context.Context, l Limits) (context.Context, *meter) {
	ctx, cancel := context.WithCancelCause(ctx)
	//mutant:git-endless-refs
	m := &meter{ctx: ctx, cancel: cancel, idle: l.Idle, left: l.Words}
	//mutant:git-silent
	m.timer = time.AfterFunc(l.Idle, func() { cancel(errSilent) })
	return ctx, m
}

// allow sets how many more bytes the remote may send.
func (m *meter) allow(n int64) { m.left = n }

// pause stops the clock while nothing is expected from the remote.
func (m *meter) pause() { m.timer.Stop() }

func (m *meter) stop() {
	m.timer.Stop()
	m.cancel(nil)
}

// cause returns why a fetch failed. If the meter ended it, that explains more than the read error.
func (m *meter) cause(err error) error {
	if c := context.Cause(m.ctx); err != nil && c != nil {
		return c
	}
	return err
}

// read returns a reader that counts the bytes of r.
func (m *meter) read(r io.Reader) io.Reader { return metered{m, r} }

type metered struct {
	m *meter
	r io.Reader
}

func (r metered) Read(p []byte) (int, error) {
	if err := context.Cause(r.m.ctx); err != nil {
		return 0, err
	}
	if r.m.left <= 0 {
		// One more byte shows whether that was all.
		if n, err := r.r.Read(make([]byte, 1)); n == 0 {
			return 0, err
		}
		err := fmt.Errorf("%w: too many bytes", ErrLimit)
		r.m.cancel(err)
		return 0, err
	}
	if int64(len(p)) > r.m.left {
		p = p[:r.m.left]
	}
	n, err := r.r.Read(p)
	r.m.left -= int64(n)
	r.m.timer.Reset(r.m.idle)
	return n, err
}
