package logs

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
	"time"
)

func TestNote(t *testing.T) {
	now := time.Unix(1000, 0)
	var f Throttle[string]
	for _, step := range []struct {
		what  string
		after time.Duration
		want  uint64
	}{
		{"a", 0, 1},
		{"a", time.Second, 0},
		{"b", time.Second, 1},
		{"a", Every - 1, 0},
		{"a", Every, 3},
		{"a", Every + 1, 0},
		{"a", -time.Hour, 2}, // a clock that was set back
	} {
		if n := f.Note(step.what, now.Add(step.after)); n != step.want {
			t.Errorf("%s after %v: %d, want %d", step.what, step.after, n, step.want)
		}
	}
	for i := range 3 * Max {
		f.Note(fmt.Sprint(i), now)
	}
	if n := f.recent.Len(); n > Max {
		t.Errorf("%d are remembered", n)
	}
}

func TestCause(t *testing.T) {
	full := func(name string) error {
		return fmt.Errorf("store job %s: %w", name, &fs.PathError{Op: "write", Path: name, Err: syscall.ENOSPC})
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{errors.New("x"), "x"},
		{full("1"), "no space left on device"},
		{full("2"), "no space left on device"},
		{fmt.Errorf("keep: %w", errors.Join(full("3"), nil, full("4"))), "no space left on device"},
		{errors.Join(full("5"), errors.New("y")), "no space left on device; y"},
	} {
		if got := Cause(c.err); got != c.want {
			t.Errorf("the cause of %v is %q, want %q", c.err, got, c.want)
		}
	}
}
