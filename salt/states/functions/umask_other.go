//go:build !linux

package functions

import "errors"

// WithUmask returns an error on systems where a thread cannot have its own mask.
func WithUmask(int, func()) error {
	return errors.New("the state option umask is not supported on this system")
}
