package zmtp

import (
	"errors"
	"log/slog"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// sleeper is a connection that accepts nothing before its deadline. The first late times it
// wakes up long after, like a process that was stopped; then it accepts everything.
type sleeper struct {
	net.Conn
	late    int
	by      time.Duration
	never   bool
	until   time.Time
	written int
}

func (s *sleeper) SetWriteDeadline(t time.Time) error { s.until = t; return nil }

func (s *sleeper) Write(b []byte) (int, error) {
	if s.late > 0 || s.never {
		s.late--
		time.Sleep(max(time.Until(s.until), s.by))
		return 0, os.ErrDeadlineExceeded
	}
	s.written += len(b)
	return len(b), nil
}

// A process that was stopped for ten minutes while it sent a reply, with a timeout of half a
// minute, cuts no peer for that: the peer has all steps but one left. A peer that reads nothing
// is cut when the time is over, not later.
func TestOutqStall_OwnLateness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sleeper{late: 1, by: 10 * time.Minute}
		q := &outq{conn: s, stall: 30 * time.Second}
		if err := q.write(make([]byte, 3*drainPiece)); err != nil || s.written != 3*drainPiece {
			t.Errorf("%d bytes, %v", s.written, err)
		}
		s = &sleeper{never: true}
		q = &outq{conn: s, stall: 30 * time.Second}
		begun := time.Now()
		if err := q.write([]byte("x")); !errors.Is(err, ErrStalled) || time.Since(begun) != 30*time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
	})
}

// Of many peers that are cut, one a minute is logged as a warning; one whose system no longer
// answers counts, too.
func TestTellings(t *testing.T) {
	var x warnings
	at := time.Unix(1000, 0)
	if got := x.level(at); got != slog.LevelWarn {
		t.Error(got)
	}
	for _, c := range []struct {
		after time.Duration
		want  slog.Level
	}{{time.Second, slog.LevelDebug}, {59 * time.Second, slog.LevelDebug}, {61 * time.Second, slog.LevelWarn}, {62 * time.Second, slog.LevelDebug}} {
		if got := x.level(at.Add(c.after)); got != c.want {
			t.Errorf("%v: %v", c.after, got)
		}
	}
	var n hostCounters
	n.end(&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ETIMEDOUT)})
	if n.cutSilent.Load() != 1 {
		t.Error("not counted")
	}
}
