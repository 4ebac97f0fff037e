package modules

import (
	"os/exec"
	"syscall"
)

// setCommandLine sets the command line of a program; "" leaves it to os/exec, which quotes the
// arguments in the way in which programs of C split them.
func setCommandLine(cmd *exec.Cmd, line string) {
	if line != "" {
		cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: line}
	}
}
