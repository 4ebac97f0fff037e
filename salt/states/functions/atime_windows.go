package functions

import (
	"io/fs"
	"syscall"
	"time"
)

// accessed returns the time of the last access, or now if the system does not report it.
func accessed(st fs.FileInfo) time.Time {
	sys, ok := st.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return time.Now()
	}
	return time.Unix(0, sys.LastAccessTime.Nanoseconds())
}

// changedAt returns when the file was created: what Python's st_ctime is on Windows.
func changedAt(st fs.FileInfo) time.Time {
	sys, ok := st.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return time.Now()
	}
	return time.Unix(0, sys.CreationTime.Nanoseconds())
}
