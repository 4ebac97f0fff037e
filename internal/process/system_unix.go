//go:build unix

package process

import (
	"errors"
	"os"
	"strconv"
	"syscall"
)

// exists reports whether pid is the number of a process, a zombie or a thread.
func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// startTime returns when a process started, in clock ticks since boot.
func startTime(pid int) int64 {
	f := stat(pid)
	if len(f) <= statStart {
		return 0
	}
	n, err := strconv.ParseInt(f[statStart], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Executable returns the path of the program of a process. Linux appends " (deleted)" to one
// that was replaced. It returns an error on systems without /proc.
func Executable(pid int) (string, error) { return os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe") }
