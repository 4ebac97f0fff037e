package archives

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// mknod creates a pipe or a device in a folder. It does not follow links.
func mknod(dir *os.Root, name string, mode uint32, major, minor int64) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(unix.Mknodat(int(d.Fd()), name, mode, int(unix.Mkdev(uint32(major), uint32(minor)))), d.Close())
}
