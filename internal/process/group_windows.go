package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/windows"

	"github.com/momtree/mom/internal/posix"
)

// Group is a program with all processes that it starts: a job object.
type Group struct {
	mu   sync.Mutex
	job  windows.Handle // 0: not begun, or closed
	last uint32         // the exit code of a signal before Begin; 0: none
}

// NewGroup makes a command that was not started yet the leader of a new group. The command
// waits until [Group.Begin], so that nothing it starts escapes the group. Windows ignores cred.
func NewGroup(cmd *exec.Cmd, _ *posix.Credential) *Group {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.HideWindow = true
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP
	return &Group{}
}

// resumeProcess is the only call that resumes a process whose first thread is not known.
var resumeProcess = windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")

// Begin lets the command run, which was started. On an error the command was ended.
func (g *Group) Begin(cmd *exec.Cmd) error {
	err := g.begin(cmd)
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		g.Close()
		return fmt.Errorf("put %s into a job object: %w", cmd.Path, err)
	}
	return nil
}

func (g *Group) begin(cmd *exec.Cmd) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.job = job
	var failed error
	err = cmd.Process.WithHandle(func(h uintptr) {
		if failed = windows.AssignProcessToJobObject(job, windows.Handle(h)); failed != nil {
			return
		}
		if status, _, _ := resumeProcess.Call(h); status != 0 {
			failed = windows.NTStatus(status)
		}
	})
	if g.last != 0 {
		_ = windows.TerminateJobObject(job, g.last)
	}
	return errors.Join(err, failed)
}

// Signal ends all processes of the group if sig ends a process; other signals do nothing.
func (g *Group) Signal(sig syscall.Signal) {
	if Ends(sig) {
		g.end(uint32(128 + sig))
	}
}

// Kill ends all processes of the group at once.
func (g *Group) Kill() { g.Signal(syscall.SIGKILL) }

func (g *Group) end(code uint32) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job == 0 {
		g.last = code
		return
	}
	_ = windows.TerminateJobObject(g.job, code) // the group may have ended
}

// Close frees the group and lets its processes run.
func (g *Group) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

// Kill ends one process if sig ends a process; other signals only look whether it exists. It
// returns [os.ErrProcessDone] if the process does not exist.
func Kill(pid int, sig syscall.Signal) error {
	if !exists(pid) {
		return os.ErrProcessDone
	}
	if !Ends(sig) {
		return nil
	}
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing is lost
	return windows.TerminateProcess(h, uint32(128+sig))
}

// harmless returns false: the signals that this system names all end a process.
func harmless(syscall.Signal) bool { return false }
