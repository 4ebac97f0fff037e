//go:build linux || openbsd

package functions

import (
	"io/fs"
	"syscall"
	"time"
)

// accessed returns the time of the last access, or now if the system does not report it.
func accessed(st fs.FileInfo) time.Time {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Now()
	}
	return time.Unix(sys.Atim.Unix())
}

// changedAt returns the time of the last change of the file or its metadata.
func changedAt(st fs.FileInfo) time.Time {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Now()
	}
	return time.Unix(sys.Ctim.Unix())
}
