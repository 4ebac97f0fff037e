//go:build linux

package chaos

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/momtree/mom/internal/timing"
)

// patience is how long a daemon may take to end on SIGTERM, which waits for
// running jobs and the last commits.
const patience = 30 * time.Second

// play lets the faults of a schedule begin and end at their times, and ends those
// that still last when ctx ends.
func (w *World) play(ctx context.Context, s Schedule) error {
	var wg sync.WaitGroup
	errs := make([]error, len(s.Faults))
	for i, f := range s.Faults {
		wg.Go(func() {
			if timing.Sleep(ctx, f.At) != nil {
				return
			}
			heal, err := w.begin(f)
			if err != nil {
				errs[i] = fmt.Errorf("begin %v: %w", f, err)
				return
			}
			_ = timing.Sleep(ctx, f.For)
			if err := heal(); err != nil {
				errs[i] = fmt.Errorf("end %v: %w", f, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// begin makes a fault and gives what mends it.
func (w *World) begin(f Fault) (heal func() error, err error) {
	w.note("begins: %v", f)
	over := w.suffer(f)
	end := func(h func() error) func() error {
		return func() error { w.note("ends: %v", f); defer over(); return h() }
	}
	switch f.What {
	case Kill, Restart, Pause:
		heal, err = w.hitMember(f)
	case SQLKill, SQLStop, SQLPause:
		heal, err = w.sql.hit(f, w.note)
	case Drain:
		heal, err = w.drain(w.members[f.Who])
	case Disk:
		heal, err = w.members[f.Who].fill()
	case Clock:
		m := w.members[f.Who]
		heal, err = func() error { return m.setClock(0) }, m.setClock(f.Jump)
	default:
		clear := w.sky.begin(w.sql.edges(f, w.note), f.Weather)
		heal = func() error { clear(); return nil }
	}
	if err != nil {
		return nil, err
	}
	return end(heal), nil
}

func (w *World) hitMember(f Fault) (func() error, error) {
	m := w.members[f.Who]
	if f.What == Pause {
		return func() error { return m.signal(syscall.SIGCONT) }, m.signal(syscall.SIGSTOP)
	}
	return m.start, m.end(f.What == Kill)
}

// fillDisk takes all room of a file system.
func fillDisk(dir string) (func() error, error) {
	path := filepath.Join(dir, "ballast")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("fill the disk: %w", err)
	}
	defer f.Close()
	for chunk := make([]byte, 1<<20); len(chunk) > 0; {
		if _, err := f.Write(chunk); errors.Is(err, unix.ENOSPC) {
			chunk = chunk[:len(chunk)/2]
		} else if err != nil {
			return nil, fmt.Errorf("fill the disk: %w", err)
		}
	}
	return func() error { return os.Remove(path) }, nil
}

// setClock lets the member's wall clock be off by d. See clock.go.txt.
func (m *member) setClock(d time.Duration) error {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(d/time.Second))
	f, err := os.OpenFile(filepath.Join(m.dir, "clock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("set the clock of %s: %w", m.id, err)
	}
	_, err = f.WriteAt(b[:], 0)
	return errors.Join(err, f.Close())
}
