package peers

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Process is a daemon with all it has forked: a process group.
type Process struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
}

// Launch starts a daemon; what it prints is added to the file out.
func Launch(name, out string, args ...string) (*Process, error) {
	f, err := os.OpenFile(out, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	defer f.Close() // the child has its own descriptor
	p := &Process{name: name, cmd: exec.Command(args[0], args[1:]...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = f, f
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is of no interest: the cases see to it
		close(p.done)
	}()
	return p, nil
}

func (p *Process) signal(s syscall.Signal) {
	_ = syscall.Kill(-p.cmd.Process.Pid, s) // gone already is as good
}

// Kill ends the group by SIGKILL, as a crash would.
func (p *Process) Kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
	p.vanished()
}

// vanished waits until no process of the group is left: the next daemon of the folder would find one that is in its pid
// file, and end.
func (p *Process) vanished() {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if errors.Is(syscall.Kill(-p.cmd.Process.Pid, 0), syscall.ESRCH) {
			return
		}
	}
}

// Stop ends the group by SIGTERM, and by SIGKILL after the patience, which is an error.
func (p *Process) Stop(patience time.Duration) error {
	p.signal(syscall.SIGTERM)
	select {
	case <-p.done:
		p.signal(syscall.SIGKILL) // whatever has outlived its parent
		p.vanished()
		return nil
	case <-time.After(patience):
		p.Kill()
		return errors.New(p.name + " did not end on SIGTERM")
	}
}
