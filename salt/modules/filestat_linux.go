package modules

import (
	"context"

	"golang.org/x/sys/unix"

	"github.com/momtree/mom/value"
)

// times returns the times of a file in seconds, as in Python.
func times(path string, follow bool) (atime, mtime, ctime float64, err error) {
	var st unix.Stat_t
	if follow {
		err = unix.Stat(path, &st)
	} else {
		err = unix.Lstat(path, &st)
	}
	at := func(t unix.Timespec) float64 { return float64(t.Sec) + float64(t.Nsec)/1e9 }
	return at(st.Atim), at(st.Mtim), at(st.Ctim), err
}

func fileStatvfs(_ context.Context, c *Call) (any, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(c.path("path"), &st); err != nil {
		return nil, CommandErrorf("Could not statvfs '%s'", c.path("path"))
	}
	return value.NewMap("f_bavail", int64(st.Bavail), "f_bfree", int64(st.Bfree), "f_blocks", int64(st.Blocks), "f_bsize", st.Bsize,
		"f_favail", int64(st.Ffree), "f_ffree", int64(st.Ffree), "f_files", int64(st.Files), "f_flag", st.Flags,
		"f_frsize", st.Frsize, "f_namemax", st.Namelen), nil
}
