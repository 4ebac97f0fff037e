package files

import (
	"fmt"
	"io/fs"
	"syscall"
)

// StatOf gives what os.stat of Python gives of a file, and the key by which its content is
// known: what no two contents of a file have in common, but for one that was written
// within the same tick of the clock.
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
