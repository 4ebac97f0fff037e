//go:build !openbsd && !netbsd && !windows

package modules

import "golang.org/x/sys/unix"

// diskSpace returns the free and total bytes of the file system at path.
func diskSpace(path string) (available, total uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, 0, err
	}
	// The types of the fields differ between systems.
	size := uint64(st.Bsize)
	return blockBytes(int64(st.Bavail), size), uint64(st.Blocks) * size, nil
}
