//go:build !linux

package functions

import "errors"

// WithUmask is refused where a mask of its own cannot be given to a thread.
func WithUmask(int, func()) error {
	return errors.New("a umask of its own cannot be given to a state on this system")
}
