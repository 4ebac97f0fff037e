//go:build unix

package modules

import "os/exec"

// setCommandLine does nothing: programs get a list of words.
func setCommandLine(*exec.Cmd, string) {}
