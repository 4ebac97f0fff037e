package chaos

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// cell is a thread in a network namespace of its own. Processes that it starts
// live in there; the namespace is gone with the last of them.
type cell struct{ work chan func() }

func newCell() (*cell, error) {
	c := &cell{work: make(chan func())}
	ready := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this goroutine
		err := unix.Unshare(unix.CLONE_NEWNET)
		ready <- err
		if err != nil {
			return
		}
		for f := range c.work {
			f()
		}
	}()
	if err := <-ready; err != nil {
		return nil, fmt.Errorf("make a network namespace: %w", err)
	}
	return c, nil
}

// do runs f in the cell and waits for it.
func (c *cell) do(f func() error) error {
	done := make(chan error)
	c.work <- func() { done <- f() }
	return <-done
}

func (c *cell) close() { close(c.work) }
