//go:build unix

package roots

import (
	"errors"
	"io/fs"
	"syscall"
)

// noWait has opening a pipe, which nobody should have put there, not wait for a writer.
const noWait = syscall.O_NONBLOCK

// leadsNowhere tells whether an error of a look-up says that there is nothing of that name.
func leadsNowhere(err error) bool {
	for _, e := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
