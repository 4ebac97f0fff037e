package states

import (
	"io/fs"
	"syscall"
	"time"
)

// accessed is when a file was read last.
func accessed(st fs.FileInfo) time.Time {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}
	}
	return time.Unix(sys.Atim.Unix())
}
