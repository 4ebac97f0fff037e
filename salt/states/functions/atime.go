//go:build linux || openbsd

package functions

import (
	"io/fs"
	"syscall"
	"time"
)

// accessed is when a file was read last, now when the system does not tell.
func accessed(st fs.FileInfo) time.Time {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Now()
	}
	return time.Unix(sys.Atim.Unix())
}

// changedAt is when the file or what is known of it changed last.
func changedAt(st fs.FileInfo) time.Time {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Now()
	}
	return time.Unix(sys.Ctim.Unix())
}
