package daemon

import (
	"errors"
	"os"
	"os/exec"
)

// detach returns an error: on Windows a service runs in the background.
func detach(*exec.Cmd) error {
	return errors.New("option -d is not supported on Windows; install a service: mom minion --service install")
}

// notifyStacks does nothing: Windows has no signal for it.
func notifyStacks(chan<- os.Signal) {}
