//go:build unix

package daemon

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// RaiseOpenFiles raises the limit of open files of this process to n, if the system allows it.
// It does not lower a higher limit. It returns the current limit.
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
	// Without the right to raise the hard limit, raise up to it.
	want = r
	want.Cur = r.Max
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &want); err != nil {
		return have, fmt.Errorf("raise the limit of open files from %d to %d: %w", have, uint64(r.Max), err)
	}
	return uint64(r.Max), nil
}

// set converts for systems with signed and unsigned limits.
func set[T int64 | uint64](p *T, n uint64) { *p = T(n) }

// OpenFiles returns the current limit of open files, and the limit to which an unprivileged
// process may raise it.
func OpenFiles() (now, hard uint64, err error) {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil {
		return 0, 0, fmt.Errorf("read the limit of open files: %w", err)
	}
	return uint64(r.Cur), uint64(r.Max), nil
}
