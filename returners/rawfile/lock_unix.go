//go:build unix

package rawfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes the lock of a file until it is closed; false if another process has it.
func lock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK), errors.Is(err, unix.EINTR):
		return false, nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOLCK): // a file system or device without locks
		return true, nil
	}
	return err == nil, err
}
