//go:build !unix

package roots

import (
	"errors"
	"io/fs"
)

const noWait = 0

// leadsNowhere tells whether an error of a look-up says that there is nothing of that name.
func leadsNowhere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid)
}
