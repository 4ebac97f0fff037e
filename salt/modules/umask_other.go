//go:build !linux

package modules

import (
	"errors"
	"os/exec"
)

// startWithUmask starts cmd; only Linux supports a mask.
func startWithUmask(cmd *exec.Cmd, umask int) error {
	if umask >= 0 {
		return errors.New("set umask: not supported on this system")
	}
	return cmd.Start()
}
