//go:build !linux && !windows

package modules

import (
	"context"
	"os"
)

// times returns an error: this system names the times of a file differently.
func times(path string, _ bool) (atime, mtime, ctime float64, err error) {
	if _, err = os.Lstat(path); err == nil {
		err = CommandErrorf("the times of files are available on Linux and Windows only")
	}
	return 0, 0, 0, err
}

func fileStatvfs(_ context.Context, c *Call) (any, error) {
	return nil, CommandErrorf("%s is available on Linux only", c.Fun)
}
