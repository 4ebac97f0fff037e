package modules

import (
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// startWithUmask starts cmd with a file mode mask; -1 keeps that of the minion. The mask
// belongs to the whole process, so it is set on a thread that no longer shares it and that
// ends with its goroutine.
func startWithUmask(cmd *exec.Cmd, umask int) error {
	if umask < 0 {
		return cmd.Start()
	}
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends here
		if err := unix.Unshare(unix.CLONE_FS); err != nil {
			result <- fmt.Errorf("set umask: %w", err)
			return
		}
		unix.Umask(umask)
		result <- cmd.Start()
	}()
	return <-result
}
