//go:build unix

package roots

import (
	"errors"
	"io/fs"
	"syscall"
)

// noWait makes opening a named pipe return at once, instead of waiting for a writer.
const noWait = syscall.O_NONBLOCK

// leadsNowhere reports whether a lookup error means that the name does not exist.
func leadsNowhere(err error) bool {
	for _, e := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EINVAL} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
