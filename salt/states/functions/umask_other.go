//go:build !linux

package functions

import "errors"

// WithUmask returns an error on systems where a thread cannot have its own mask.
func WithUmask(int, func()) error {
	return errors.New("a umask of its own cannot be given to a state on this system")
}
