package files

import (
	"fmt"
	"io/fs"
	"syscall"
)

// StatOf returns Python's os.stat of a file, and a key for its content. Two contents of a file have
// different keys, unless they were written within the same tick of the clock.
func StatOf(info fs.FileInfo) (stat []int64, key string) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil, ""
	}
	stat = []int64{
		int64(s.Mode), int64(s.Ino), int64(s.Dev), int64(s.Nlink), int64(s.Uid), int64(s.Gid), s.Size,
		s.Atim.Sec, s.Mtim.Sec, s.Ctim.Sec,
	}
	return stat, fmt.Sprintf("%d.%d/%d/%d.%d/%d.%d", s.Dev, s.Ino, s.Size, s.Mtim.Sec, s.Mtim.Nsec, s.Ctim.Sec, s.Ctim.Nsec)
}
