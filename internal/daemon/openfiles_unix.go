//go:build unix

package daemon

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// RaiseOpenFiles lets this process open n files, if the system allows it. A higher
// limit is left alone. It gives the limit that holds now.
func RaiseOpenFiles(n uint64) (uint64, error) {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil {
		return 0, fmt.Errorf("read the limit of open files: %w", err)
	}
	have := uint64(r.Cur)
	if have >= n {
		return have, nil
	}
	want := r
	set(&want.Cur, n)
	if uint64(want.Max) < n {
		set(&want.Max, n)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &want); err == nil {
		return n, nil
	}
	// Without the right to raise the hard limit: up to it.
	want = r
	want.Cur = r.Max
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &want); err != nil {
		return have, fmt.Errorf("raise the limit of open files from %d to %d: %w", have, uint64(r.Max), err)
	}
	return uint64(r.Max), nil
}

// set bridges systems that count with a sign and those that count without.
func set[T int64 | uint64](p *T, n uint64) { *p = T(n) }

// OpenFiles gives the limit of open files that holds now, and how far a process without
// rights may raise it.
func OpenFiles() (now, hard uint64, err error) {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil {
		return 0, 0, fmt.Errorf("read the limit of open files: %w", err)
	}
	return uint64(r.Cur), uint64(r.Max), nil
}
