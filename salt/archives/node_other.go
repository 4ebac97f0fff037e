//go:build !linux

package archives

import (
	"errors"
	"os"
)

// mknod returns an error: it is implemented for Linux only.
func mknod(*os.Root, string, uint32, int64, int64) error {
	return errors.New("pipes and devices are extracted on Linux only")
}
