package modules

import (
	"context"
	"os"
	"syscall"
)

// times returns the times of a file in seconds, as in Python: ctime is when it was created.
func times(path string, follow bool) (atime, mtime, ctime float64, err error) {
	look := os.Stat
	if !follow {
		look = os.Lstat
	}
	st, err := look(path)
	if err != nil {
		return 0, 0, 0, err
	}
	seconds := func(t syscall.Filetime) float64 { return float64(t.Nanoseconds()) / 1e9 }
	mtime = float64(st.ModTime().UnixNano()) / 1e9
	sys, ok := st.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return mtime, mtime, mtime, nil
	}
	return seconds(sys.LastAccessTime), mtime, seconds(sys.CreationTime), nil
}

func fileStatvfs(_ context.Context, c *Call) (any, error) {
	return nil, CommandErrorf("%s is available on Linux only", c.Fun)
}
