//go:build unix

package pillar

import (
	"io/fs"
	"syscall"
)

// inode returns the inode number of a file.
func inode(st fs.FileInfo) uint64 {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}
