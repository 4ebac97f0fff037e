//go:build unix

package ext

import (
	"os/exec"
	"syscall"
)

// alone has a program and all it starts end together.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
