//go:build !unix

package roots

import (
	"errors"
	"io/fs"
)

const noWait = 0

// leadsNowhere reports whether a lookup error means that the name does not exist.
func leadsNowhere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid)
}
