package modules

import "golang.org/x/sys/unix"

// diskSpace returns the free and total bytes of the file system at path.
func diskSpace(path string) (available, total uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, 0, err
	}
	size := uint64(st.F_bsize)
	return blockBytes(st.F_bavail, size), st.F_blocks * size, nil
}
