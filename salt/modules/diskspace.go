//go:build !openbsd && !netbsd

package modules

import "golang.org/x/sys/unix"

// diskSpace asks the system for the size of the file system at path, in bytes.
func diskSpace(path string) (available, total uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, 0, err
	}
	// The fields' types differ between the systems.
	size := uint64(st.Bsize)
	return blockBytes(int64(st.Bavail), size), uint64(st.Blocks) * size, nil
}
