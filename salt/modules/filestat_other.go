//go:build !linux

package modules

import (
	"context"

	"golang.org/x/sys/unix"
)

// statTimes returns an error: this system names the times of a file differently.
func statTimes(_ *unix.Stat_t, err error) (atime, mtime, ctime float64, _ error) {
	if err == nil {
		err = CommandErrorf("the times of files are available on Linux only")
	}
	return 0, 0, 0, err
}

func fileStatvfs(_ context.Context, c *Call) (any, error) {
	return nil, CommandErrorf("%s is available on Linux only", c.Fun)
}
