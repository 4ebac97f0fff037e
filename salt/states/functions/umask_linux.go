package functions

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// WithUmask calls fn with a file mode mask. The mask belongs to the whole process, so it is
// set on a thread that no longer shares it and that ends with its goroutine. Programs that
// fn starts inherit it.
func WithUmask(mask int, fn func()) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends here
		if err := unix.Unshare(unix.CLONE_FS); err != nil {
			result <- fmt.Errorf("set umask: %w", err)
			return
		}
		unix.Umask(mask)
		fn()
		result <- nil
	}()
	return <-result
}
