package modules

import (
	"fmt"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// startWithUmask starts cmd with a file mode mask of its own; -1 keeps the
// minion's. The mask belongs to the whole process, so it is changed on a thread
// that has been parted from the others and that ends with its goroutine.
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
