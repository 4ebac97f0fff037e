//go:build unix

package daemon

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// detach gives a command a session of its own.
func detach(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return nil
}

// notifyStacks sends the signals that ask for the stacks to c.
func notifyStacks(c chan<- os.Signal) { signal.Notify(c, syscall.SIGUSR1) }
