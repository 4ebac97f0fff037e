//go:build !linux

package modules

import (
	"context"

	"golang.org/x/sys/unix"
)

// statTimes are the times of a file; this system names them otherwise.
func statTimes(_ *unix.Stat_t, err error) (atime, mtime, ctime float64, _ error) {
	if err == nil {
		err = CommandErrorf("the times of files are told on Linux only")
	}
	return 0, 0, 0, err
}

func fileStatvfs(_ context.Context, c *Call) (any, error) {
	return nil, CommandErrorf("%s is for Linux", c.Fun)
}
