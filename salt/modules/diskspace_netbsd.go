package modules

import "golang.org/x/sys/unix"

// diskSpace returns the free and total bytes of the file system at path. NetBSD counts in
// fragments and has no statfs.
func diskSpace(path string) (available, total uint64, err error) {
	var st unix.Statvfs_t
	if err := unix.Statvfs(path, &st); err != nil {
		return 0, 0, err
	}
	size := st.Frsize
	return blockBytes(int64(st.Bavail), size), st.Blocks * size, nil
}
