//go:build unix

package process

import (
	"os"
	"os/exec"
	"sync"
	"syscall"

	"github.com/momtree/mom/internal/posix"
)

// Group is a program with all processes that it starts. On Unix it is a process group, on
// Windows a job object. A process that leaves its process group leaves the Group.
type Group struct {
	mu   sync.Mutex
	pid  int            // 0: not begun
	last syscall.Signal // sent before Begin; 0: none
}

// NewGroup makes a command that was not started yet the leader of a new group. It runs as
// cred; nil is the user of this process. The caller starts the command and then calls
// [Group.Begin].
func NewGroup(cmd *exec.Cmd, cred *posix.Credential) *Group {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: cred}
	return &Group{}
}

// Begin lets the command run, which was started. On an error the command was ended.
func (g *Group) Begin(cmd *exec.Cmd) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pid = cmd.Process.Pid
	if g.last != 0 {
		_ = syscall.Kill(-g.pid, g.last)
	}
	return nil
}

// Signal sends a signal to all processes of the group. The group may have ended; before
// [Group.Begin] the last signal is kept until then. On Windows, a signal that ends a process ends
// them at once; others do nothing.
func (g *Group) Signal(sig syscall.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pid == 0 { // 0 would mean the group of this process
		g.last = sig
		return
	}
	_ = syscall.Kill(-g.pid, sig)
}

// Kill ends all processes of the group at once.
func (g *Group) Kill() { g.Signal(syscall.SIGKILL) }

// Close frees the group and lets its processes run.
func (g *Group) Close() {}

// Kill sends a signal to one process. It returns [os.ErrProcessDone] if the process does not
// exist.
func Kill(pid int, sig syscall.Signal) error {
	err := syscall.Kill(pid, sig)
	if err == syscall.ESRCH {
		return os.ErrProcessDone
	}
	return err
}

func harmless(sig syscall.Signal) bool {
	switch sig {
	case syscall.SIGCHLD, syscall.SIGURG, syscall.SIGWINCH, syscall.SIGCONT,
		syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU:
		return true
	}
	return false
}
