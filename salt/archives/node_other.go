//go:build !linux

package archives

import (
	"errors"
	"os"
)

// mknod is for Linux.
func mknod(*os.Root, string, uint32, int64, int64) error {
	return errors.New("pipes and devices are extracted on Linux only")
}
